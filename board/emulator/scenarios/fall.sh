# A fall through the chip's registers, at +-8 g: the alarm, and the day that has it. The chip is told of its range before.
playing_mxc4005 fall
mkdir -p /state
export STATE_DIRECTORY=/state
cat /sys/bus/iio/devices/iio:device0/in_accel_scale_available
cat /sys/bus/iio/devices/iio:device0/in_accel_scale_available | tr ' ' '\n' | sort -g | tail -1 > /tmp/scale
cat /tmp/scale > /sys/bus/iio/devices/iio:device0/in_accel_scale
gaitway devices --json
part fall
gaitway run --model /model --json --duration 100
echo "exit code $?"
gaitway today --json
echo "today: exit code $?"
gaitway today
ls /state /state/history
