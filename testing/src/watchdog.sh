# Ends a process and removes its directory ($1) when whoever started them is gone.
#
# Whoever started them holds the other end of our standard input, and closes it by
# ending in any way whatever. Its first line is the id of the process; a second line
# says that the process has ended by itself, and nothing is left to do.

read -r process || process=
if read -r ended; then
    exit
fi

if [ -n "$process" ]; then
    kill -QUIT "$process"
    # Whoever was started in the background may ignore that; to a server that heeds it, this
    # says nothing new.
    kill -TERM "$process"
    # A process that was stopped heeds nothing else.
    kill -CONT "$process"
    tenths=0
    while kill -0 "$process" && [ $tenths -lt 300 ]; do
        sleep 0.1
        tenths=$((tenths + 1))
    done
fi
rm -rf "$1"
