# A HID sensor is pulled out while it is read, another chip takes its number, and it comes back.
load_triggers
bus 0x15
hid_sensor /hid.csv & sensor=$!
sleep 1.5
gaitway devices --json
mkdir -p /state
export STATE_DIRECTORY=/state
gaitway run --source iio --model /model --json --stats & loop=$!
sleep 10
part pulled
kill $sensor
sleep 12
echo "status $(gaitway status --json)"
bind mxc4005 0x15 0x0e=0x02
hid_sensor /hid.csv &
sleep 12
echo "stopping at $(uptime_now)"
kill -TERM $loop
wait $loop
echo "exit code $? at $(uptime_now)"
