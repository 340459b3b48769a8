#include "cmosquitto.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// What libmosquitto.so.1 promises (its API of 1.x and 2.x), so that building needs no header of it.
struct mosquitto;
struct mosquitto_message {
    int mid;
    char *topic;
    void *payload;
    int payloadlen;
    int qos;
    bool retain;
};

static struct {
    int (*lib_init)(void);
    struct mosquitto *(*new)(const char *, bool, void *);
    void (*destroy)(struct mosquitto *);
    int (*username_pw_set)(struct mosquitto *, const char *, const char *);
    int (*will_set)(struct mosquitto *, const char *, int, const void *, int, bool);
    int (*tls_set)(struct mosquitto *, const char *, const char *, const char *, const char *, int (*)(char *, int, int, void *));
    int (*connect_async)(struct mosquitto *, const char *, int, int);
    int (*disconnect)(struct mosquitto *);
    int (*socket)(struct mosquitto *);
    bool (*want_write)(struct mosquitto *);
    int (*loop_read)(struct mosquitto *, int);
    int (*loop_write)(struct mosquitto *, int);
    int (*loop_misc)(struct mosquitto *);
    int (*publish)(struct mosquitto *, int *, const char *, int, const void *, int, bool);
    int (*subscribe)(struct mosquitto *, int *, const char *, int);
    void (*publish_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, int));
    void (*connect_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, int));
    void (*message_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, const struct mosquitto_message *));
    const char *(*strerror)(int);
    const char *(*connack_string)(int);
} library;
static bool is_loaded;

struct gw_mqtt {
    struct mosquitto *client;
    char *host;
    int port, keepalive;
    void (*connected)(void *context, int32_t code, const char *reason);
    void (*message)(void *context, const char *topic, const uint8_t *payload, int64_t count);
    void (*published)(void *context, int32_t number);
    void *context;
};

static void load(void) {
    void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) { return; }
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"mosquitto_lib_init", &library.lib_init},
        {"mosquitto_new", &library.new},
        {"mosquitto_destroy", &library.destroy},
        {"mosquitto_username_pw_set", &library.username_pw_set},
        {"mosquitto_will_set", &library.will_set},
        {"mosquitto_tls_set", &library.tls_set},
        {"mosquitto_connect_async", &library.connect_async},
        {"mosquitto_disconnect", &library.disconnect},
        {"mosquitto_socket", &library.socket},
        {"mosquitto_want_write", &library.want_write},
        {"mosquitto_loop_read", &library.loop_read},
        {"mosquitto_loop_write", &library.loop_write},
        {"mosquitto_loop_misc", &library.loop_misc},
        {"mosquitto_publish", &library.publish},
        {"mosquitto_subscribe", &library.subscribe},
        {"mosquitto_publish_callback_set", &library.publish_callback_set},
        {"mosquitto_connect_callback_set", &library.connect_callback_set},
        {"mosquitto_message_callback_set", &library.message_callback_set},
        {"mosquitto_strerror", &library.strerror},
        {"mosquitto_connack_string", &library.connack_string},
    };
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(handle, functions[i].name);
        if (!found) { return; }
        *(void **)functions[i].place = found;
    }
    is_loaded = library.lib_init() == 0;
}

static void on_connect(struct mosquitto *client, void *context, int code) {
    (void)client;
    gw_mqtt *mqtt = context;
    mqtt->connected(mqtt->context, code, library.connack_string(code));
}

static void on_message(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client;
    gw_mqtt *mqtt = context;
    if (!message->retain) { mqtt->message(mqtt->context, message->topic, message->payload, message->payloadlen); }
}

static void on_publish(struct mosquitto *client, void *context, int number) {
    (void)client;
    gw_mqtt *mqtt = context;
    mqtt->published(mqtt->context, number);
}

static int refuse_password(char *buffer, int size, int writes, void *context) {
    (void)writes, (void)context;
    if (size > 0) { buffer[0] = 0; }
    return 0;
}

static int configure(gw_mqtt *mqtt, const gw_mqtt_config *config) {
    int code = 0;
    if (config->user) { code = library.username_pw_set(mqtt->client, config->user, config->password); }
    if (!code && config->will_topic) {
        int length = 0;
        while (config->will[length]) { length++; }
        code = library.will_set(mqtt->client, config->will_topic, length, config->will, 1, true);
    }
    if (!code && config->tls) {
        const char *directory = config->ca_file ? NULL : "/etc/ssl/certs";
        code = library.tls_set(mqtt->client, config->ca_file, directory, config->certificate, config->key, refuse_password);
    }
    return code;
}

static char *copy(const char *text) {
    size_t length = 0;
    while (text[length]) { length++; }
    char *made = malloc(length + 1);
    for (size_t i = 0; made && i <= length; i++) { made[i] = text[i]; }
    return made;
}

gw_mqtt *gw_mqtt_open(const gw_mqtt_config *config, const char **reason) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    *reason = "libmosquitto cannot be loaded";
    if (!is_loaded) { return NULL; }
    *reason = "out of memory";
    gw_mqtt *mqtt = calloc(1, sizeof *mqtt);
    if (!mqtt) { return NULL; }
    mqtt->host = copy(config->host);
    mqtt->port = config->port, mqtt->keepalive = config->keepalive;
    mqtt->connected = config->connected, mqtt->message = config->message, mqtt->published = config->published;
    mqtt->context = config->context;
    mqtt->client = mqtt->host ? library.new(config->id, true, mqtt) : NULL;
    if (!mqtt->client) {
        free(mqtt->host);
        free(mqtt);
        return NULL;
    }
    const int code = configure(mqtt, config);
    if (code) {
        *reason = library.strerror(code);
        gw_mqtt_close(mqtt);
        return NULL;
    }
    library.connect_callback_set(mqtt->client, on_connect);
    library.message_callback_set(mqtt->client, on_message);
    library.publish_callback_set(mqtt->client, on_publish);
    return mqtt;
}

static const char *reason_of(int code) { return code ? library.strerror(code) : NULL; }

const char *gw_mqtt_connect(gw_mqtt *mqtt) {
    return reason_of(library.connect_async(mqtt->client, mqtt->host, mqtt->port, mqtt->keepalive));
}

int gw_mqtt_descriptor(const gw_mqtt *mqtt) { return library.socket(mqtt->client); }

bool gw_mqtt_wants_to_write(const gw_mqtt *mqtt) { return library.want_write(mqtt->client); }

const char *gw_mqtt_work(gw_mqtt *mqtt, bool is_readable, bool is_writable) {
    int code = is_readable ? library.loop_read(mqtt->client, 1) : 0;
    if (!code && (is_writable || library.want_write(mqtt->client))) { code = library.loop_write(mqtt->client, 1); }
    if (!code) { code = library.loop_misc(mqtt->client); }
    return reason_of(code);
}

int32_t gw_mqtt_publish(gw_mqtt *mqtt, const char *topic, const uint8_t *payload, int64_t count, bool retained) {
    int number = -1;
    return library.publish(mqtt->client, &number, topic, (int)count, payload, 1, retained) == 0 ? number : -1;
}

bool gw_mqtt_subscribe(gw_mqtt *mqtt, const char *topic) { return library.subscribe(mqtt->client, NULL, topic, 1) == 0; }

void gw_mqtt_disconnect(gw_mqtt *mqtt) { library.disconnect(mqtt->client); }

void gw_mqtt_close(gw_mqtt *mqtt) {
    library.destroy(mqtt->client);
    free(mqtt->host);
    free(mqtt);
}
