# The machine sleeps for four seconds in the middle of a capture.
playing_mxc4005
gaitway devices --json
gaitway run --source iio --model /model --up x --forward y --placement waist --json --stats & loop=$!
sleep 8
part suspend
echo +4 > /sys/class/rtc/rtc0/wakealarm
echo freeze > /sys/power/state
sleep 10
kill -TERM $loop
wait $loop
echo "exit code $?"
