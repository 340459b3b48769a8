// libmosquitto for Swift, loaded when it is first wanted: its callbacks and the few of its calls that a client needs.
#ifndef GW_CMOSQUITTO_H
#define GW_CMOSQUITTO_H

#include <stdbool.h>
#include <stdint.h>

/// A connection to a broker; for one thread at a time.
typedef struct gw_mqtt gw_mqtt;

typedef struct gw_mqtt_config {
    const char *id; ///< of the client
    const char *host;
    int32_t port, keepalive;       ///< keepalive in seconds
    const char *user, *password;   ///< NULL for none
    bool tls;                      ///< certificates are checked
    const char *ca_file;           ///< NULL: those of /etc/ssl/certs
    const char *certificate, *key; ///< of this client; NULL for none
    const char *will_topic, *will; ///< what the broker publishes when this client is gone, retained
    /// The broker took (0) or refused the connection; `reason` says why.
    void (*connected)(void *context, int32_t code, const char *reason);
    /// Not of what the broker kept: a command of yesterday is none of today.
    void (*message)(void *context, const char *topic, const uint8_t *payload, int64_t count);
    void (*published)(void *context, int32_t number); ///< the broker has what gw_mqtt_publish numbered so
    void *context;
} gw_mqtt_config;

/// NULL where libmosquitto is not installed or takes the configuration not; `*reason` says why, for as long as the program runs.
///
/// Texts of `config` need to stay only for the call.
gw_mqtt *gw_mqtt_open(const gw_mqtt_config *config, const char **reason);

/// Begins to connect. Names are looked up here, which may block.
///
/// Returns   NULL, or why it cannot be.
const char *gw_mqtt_connect(gw_mqtt *mqtt);

/// The connection's descriptor; -1 while there is none.
int gw_mqtt_descriptor(const gw_mqtt *mqtt);

/// Whether something waits to be sent.
bool gw_mqtt_wants_to_write(const gw_mqtt *mqtt);

/// Reads what came, sends what waits, keeps the connection alive. To be called when the descriptor is ready, and once a keepalive.
///
/// Returns   NULL, or why the connection is gone.
const char *gw_mqtt_work(gw_mqtt *mqtt, bool is_readable, bool is_writable);

/// Sends, at least once.
///
/// Returns   the message's number; -1 where it was not taken.
int32_t gw_mqtt_publish(gw_mqtt *mqtt, const char *topic, const uint8_t *payload, int64_t count, bool retained);
bool gw_mqtt_subscribe(gw_mqtt *mqtt, const char *topic);

/// Says goodbye, without the will, where it is connected.
void gw_mqtt_disconnect(gw_mqtt *mqtt);
void gw_mqtt_close(gw_mqtt *mqtt);

#endif
