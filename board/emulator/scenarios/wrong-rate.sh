# A trigger that is a little off, far off, gone, and one that somebody else keeps far off.
playing_mxc4005
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
sleep 25
kill -TERM $loop
wait $loop
echo "exit code $?"
kill $meddler
