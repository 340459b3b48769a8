# The machine sleeps for four seconds in the middle of a capture.
load_triggers
bus 0x15
bind mxc4005 0x15 0x0e=0x02
gaitway devices --json
registers 0 0x15 play /replay.csv be16:4 0x03 &
gaitway run --source iio --model /model --json --stats & loop=$!
sleep 8
part suspend
echo +4 > /sys/class/rtc/rtc0/wakealarm
echo freeze > /sys/power/state
sleep 10
kill -TERM $loop
wait $loop
echo "exit code $?"
