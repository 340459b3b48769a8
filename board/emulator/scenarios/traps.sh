# What else a real kernel does to a reader: no trigger modules, a busy device, another scale, a clock that jumps, a reader that dies.
bus 0x15
bind mxc4005 0x15 0x0e=0x02
registers 0 0x15 play /replay.csv be16:4 0x03 &

part no-trigger-modules
gaitway run --model /model --duration 3.84 --json
echo "exit code $?"
load_triggers

part trigger-removed-after
gaitway run --model /model --duration 3.84 --json
echo "exit code $?; triggers left: $(made_trigger)"

part busy
sleep 1000 < /dev/iio:device0 & holder=$!
sleep 1
gaitway run --model /model --duration 3.84 --json
echo "exit code $?"
kill -TERM $holder
wait $holder

part scale
scales=$(cat /sys/bus/iio/devices/iio:device0/in_accel_scale_available)
GAITWAY_RANGE=8 gaitway run --model /model --json --stats & loop=$!
sleep 3
echo "scale $(cat /sys/bus/iio/devices/iio:device0/in_accel_scale) of $scales"
echo "${scales%% *}" > /sys/bus/iio/devices/iio:device0/in_accel_scale
sleep 20
kill -TERM $loop
wait $loop
echo "exit code $?; left at $(cat /sys/bus/iio/devices/iio:device0/in_accel_scale)"

part clock
gaitway run --model /model --duration 20 --json --stats & loop=$!
sleep 5
date -s "@$(($(date +%s) - 3600))" > /dev/null
sleep 5
date -s "@$(($(date +%s) + 7200))" > /dev/null
wait $loop
echo "exit code $?"

part killed
gaitway run --model /model --json > /dev/null 2>&1 & loop=$!
sleep 5
kill -9 $loop
wait $loop
gaitway run --model /model --duration 6.4 --json --stats
echo "exit code $?; triggers left: $(made_trigger)"

part permission
echo "wearer:x:1000:1000::/:/bin/sh" > /etc/passwd
su wearer -c "gaitway run --model /model --duration 3.84 --json"
echo "polled: exit code $?"
mkdir /sys/kernel/config/iio/triggers/hrtimer/t50
echo t50 > /sys/bus/iio/devices/iio:device0/trigger/current_trigger
su wearer -c "gaitway run --model /model --duration 3.84 --json"
echo "buffered: exit code $?"
su wearer -c "gaitway doctor --model /model --json"
echo "doctor says $?"
echo > /sys/bus/iio/devices/iio:device0/trigger/current_trigger
rmdir /sys/kernel/config/iio/triggers/hrtimer/t50

# What the package's udev rule does, for a member of the group in a user namespace of its own (PrivateUsers= of the unit); the loop stands in
# for udev, which sees the trigger appear.
part group
echo "iio:x:101:wearer" > /etc/group
chgrp iio /dev/iio:device0
chmod 0660 /dev/iio:device0
/permit /sys/bus/iio/devices/iio:device0
(while :; do for t in /sys/bus/iio/devices/trigger*; do [ ! -d "$t" ] || /permit "$t"; done; sleep 0.1; done) & udev=$!
su wearer -c "GAITWAY_RANGE=8 unshare -U gaitway run --model /model --duration 6.4 --json --stats"
echo "exit code $?; triggers left: $(made_trigger)"
gaitway devices --json
kill $udev
