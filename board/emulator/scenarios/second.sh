# Two programs and one sensor: the second one takes the samples from the first, and the sensor itself when that ends. Then a program that is
# no gaitway holds it, the device's rate and trigger untouched.
playing_mxc4005
mkdir -p /state
export STATE_DIRECTORY=/state
gaitway devices --json
part beside
gaitway run --model /model --json --stats > /tmp/first 2>&1 & first=$!
sleep 4
gaitway run --source iio:mxc4005 --model /model --duration 12.8 --json
echo "second: exit code $?"
gaitway features --source iio --duration 5.12 | wc -l
gaitway guess --source iio --model /model --seconds 4 --countdown 0 --json
echo "guess: exit code $?"
gaitway run --source iio:lis3dh --model /model --duration 4
echo "another sensor: exit code $?"
gaitway doctor --model /model --json
echo "doctor says $?"
kill -TERM $first
wait $first
echo "first: exit code $?"
cat /tmp/first
part taken-over
gaitway run --model /model --json > /tmp/first 2>&1 & first=$!
sleep 4
gaitway run --model /model --duration 25 --json --stats & second=$!
sleep 8
kill -9 $first
wait $second
echo "second: exit code $?; triggers left: $(made_trigger)"
part given-back
gaitway run --model /model --json > /tmp/first 2>&1 & first=$!
sleep 4
gaitway run --model /model --duration 30 --json --stats & second=$!
sleep 4
kill -TERM $first
wait $first
sleep 6
gaitway run --model /model --json --wait > /tmp/first 2>&1 & first=$!
wait $second
echo "second: exit code $?"
kill -TERM $first
wait $first
echo "first: exit code $?; decisions $(grep -c '"activity"' /tmp/first)"
part foreign
mkdir /sys/kernel/config/iio/triggers/hrtimer/t20
echo t20 > /sys/bus/iio/devices/iio:device0/trigger/current_trigger
echo 20 > "$(trigger_named t20)/sampling_frequency"
sleep 1000 < /dev/iio:device0 & holder=$!
sleep 1
gaitway run --model /model --duration 4
echo "exit code $?; trigger $(cat /sys/bus/iio/devices/iio:device0/trigger/current_trigger) at $(cat "$(trigger_named t20)/sampling_frequency")"
kill $holder
