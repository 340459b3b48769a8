# All that goes on beside the loop, with a hub and a bucket that refuse: heartbeats, events, uploads, updates.
playing_mxc4005
ip link set lo up
# A kernel's first connection ever keeps this slow processor for 40 ms, longer than from one sample to the next.
wget -q -O - http://127.0.0.1:1/ 2> /dev/null
gaitway devices --json
mkdir -p /state/ai.edgeml
echo '{"hub":"http://127.0.0.1:1","orgId":"default","deviceId":"d","deviceIdentifier":"emulated","heartbeatInterval":20,"beatsByPost":false,"allowsHTTP":false}' > /state/registration.json
echo '{"device_identifier":"emulated","org_id":"default","access_token":"a","refresh_token":"r","token_type":"Bearer","scopes":[],"expires_at":"2027-01-01T00:00:00.000Z"}' \
    > /state/ai.edgeml/default:emulated.json
chmod 0600 /state/registration.json /state/ai.edgeml/*
export STATE_DIRECTORY=/state AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret
export GAITWAY_UPLOAD_ENABLED=true GAITWAY_UPLOAD_BUCKET=b GAITWAY_UPLOAD_USER=wearer GAITWAY_UPLOAD_ENDPOINT=http://127.0.0.1:1 GAITWAY_UPLOAD_MINUTES=0.5 \
    GAITWAY_UPDATES_ALLOW_UNSIGNED=true GAITWAY_FLEET_TELEMETRY=true
gaitway run --source iio:mxc4005 --model /model --duration 100 --json --stats & loop=$!
sleep 90
grep -E 'VmRSS|VmHWM|RssAnon|RssFile|Threads' /proc/$loop/status
wait $loop
echo "exit code $?"
