# A trigger that is a little off, far off, gone, and one that somebody else keeps far off.
load_triggers
bus 0x15
bind mxc4005 0x15 0x0e=0x02
registers 0 0x15 play /replay.csv be16:4 0x03 &
gaitway run --source iio --model /model --json --stats & loop=$!
sleep 4
part little
echo 52 > "$(made_trigger)/sampling_frequency"
sleep 8
part far
echo 100 > "$(made_trigger)/sampling_frequency"
sleep 8
echo "trigger at $(cat "$(made_trigger)/sampling_frequency")"
part gone
rmdir /sys/kernel/config/iio/triggers/hrtimer/gaitway0
sleep 8
echo "trigger at $(cat "$(made_trigger)/sampling_frequency")"
part kept
(while :; do echo 100 > "$(made_trigger)/sampling_frequency"; sleep 0.1; done) 2> /dev/null & meddler=$!
wait $loop
echo "exit code $?"
kill $meddler
