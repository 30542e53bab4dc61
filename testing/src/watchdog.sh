# Ends a process and removes its directory ($1) when the parent is gone.
#
# The parent holds the other end of the standard input, which closes when the parent ends in
# any way. The first line is the id of the process; a second line says that the process has
# ended by itself, and there is nothing left to do.

read -r process || process=
if read -r ended; then
    exit
fi

if [ -n "$process" ]; then
    kill -QUIT "$process"
    # A background process may ignore SIGQUIT; a server that handles it is not affected by this.
    kill -TERM "$process"
    # A stopped process handles no other signal.
    kill -CONT "$process"
    tenths=0
    while kill -0 "$process" && [ $tenths -lt 300 ]; do
        sleep 0.1
        tenths=$((tenths + 1))
    done
fi
rm -rf "$1"
