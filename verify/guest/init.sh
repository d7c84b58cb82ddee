#!/bin/sh
# First process of Linux in a process (verify/uml.py): makes the runs that the file $runs lists, and halts.
# The kernel hands over words of its command line that it does not know, such as python=..., as variables.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmpfs /run
mkdir /run/netns
stty -opost < /dev/console > /dev/null 2>&1
"$python" -S -u "$script" "$runs" 2>&1
halt -f
