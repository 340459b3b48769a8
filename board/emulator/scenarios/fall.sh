# A fall through the chip's registers, at +-8 g, to which gaitway sets the chip: the alarm, and the day that has it.
unset GAITWAY_RANGE
playing_mxc4005 fall
mkdir -p /state
export STATE_DIRECTORY=/state
gaitway devices --json
gaitway doctor --model /model --json
part fall
gaitway run --model /model --json --duration 100
echo "exit code $?"
gaitway today --json
echo "today: exit code $?"
gaitway today
ls /state /state/history
