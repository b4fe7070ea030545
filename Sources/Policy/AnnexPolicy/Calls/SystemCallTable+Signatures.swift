extension SystemCallTable {
    /// The arguments of each call, one call in each line: `call argument:kind …`.
    ///
    /// Policies use these names under `when:`. The kinds are the kinds of `ArgumentKind`. If a call is missing here,
    /// reports show its six registers as hexadecimal numbers.
    static let signatures: String = """
        read fd:fd buffer:address count:size
        write fd:fd buffer:address count:size
        open path:path flags:open mode:mode
        close fd:fd
        stat path:path status:address
        fstat fd:fd status:address
        lstat path:path status:address
        poll fds:address count:uint timeout:int
        ppoll fds:address count:uint timeout:address mask:address size:size
        lseek fd:fd offset:long whence:whence
        mmap address:address size:size prot:prot flags:map fd:fd offset:size
        mprotect address:address size:size prot:prot
        pkey_mprotect address:address size:size prot:prot key:int
        munmap address:address size:size
        brk address:address
        mremap address:address size:size new_size:size flags:mremap new_address:address
        madvise address:address size:size advice:advice
        msync address:address size:size flags:int
        mlock address:address size:size
        mlockall flags:int
        mseal address:address size:size flags:hex
        memfd_create name:path flags:memfd
        memfd_secret flags:uint
        rt_sigaction signal:signal action:address old:address size:size
        rt_sigprocmask how:sigmask set:address old:address size:size
        rt_sigreturn
        rt_sigqueueinfo process:int signal:signal info:address
        rt_tgsigqueueinfo process:int thread:int signal:signal info:address
        sigaltstack stack:address old:address
        ioctl fd:fd request:ioctl argument:hex
        pread64 fd:fd buffer:address count:size offset:long
        pwrite64 fd:fd buffer:address count:size offset:long
        readv fd:fd vectors:address count:size
        writev fd:fd vectors:address count:size
        preadv fd:fd vectors:address count:size offset:long
        pwritev fd:fd vectors:address count:size offset:long
        preadv2 fd:fd vectors:address count:size offset:long upper_offset:long flags:hex
        pwritev2 fd:fd vectors:address count:size offset:long upper_offset:long flags:hex
        access path:path mode:int
        faccessat dirfd:dirfd path:path mode:int
        faccessat2 dirfd:dirfd path:path mode:int flags:at
        pipe ends:address
        pipe2 ends:address flags:open
        select count:int reading:address writing:address failing:address timeout:address
        pselect6 count:int reading:address writing:address failing:address timeout:address mask:address
        sched_yield
        sched_getaffinity process:int size:uint mask:address
        sched_setaffinity process:int size:uint mask:address
        shmget key:int size:size flags:int
        shmat id:int address:address flags:int
        shmctl id:int command:object buffer:address
        semget key:int count:int flags:int
        semctl id:int place:int command:object value:hex
        msgget key:int flags:int
        msgctl id:int command:object buffer:address
        dup fd:fd
        dup2 fd:fd new_fd:fd
        dup3 fd:fd new_fd:fd flags:open
        nanosleep time:address left:address
        clock_nanosleep clock:clock flags:int time:address left:address
        clock_gettime clock:clock time:address
        clock_getres clock:clock time:address
        clock_settime clock:clock time:address
        clock_adjtime clock:clock change:address
        gettimeofday time:address zone:address
        settimeofday time:address zone:address
        adjtimex change:address
        getpid
        getppid
        gettid
        getuid
        getgid
        geteuid
        getegid
        getrandom buffer:address size:size flags:random
        socket domain:domain type:socket protocol:int
        socketpair domain:domain type:socket protocol:int ends:address
        connect fd:fd address:address size:uint
        bind fd:fd address:address size:uint
        listen fd:fd backlog:int
        accept fd:fd address:address size:address
        accept4 fd:fd address:address size:address flags:socket
        sendto fd:fd buffer:address count:size flags:message address:address size:uint
        recvfrom fd:fd buffer:address count:size flags:message address:address size:address
        sendmsg fd:fd message:address flags:message
        recvmsg fd:fd message:address flags:message
        sendmmsg fd:fd messages:address count:uint flags:message
        recvmmsg fd:fd messages:address count:uint flags:message timeout:address
        shutdown fd:fd how:int
        getsockname fd:fd address:address size:address
        getpeername fd:fd address:address size:address
        setsockopt fd:fd level:level option:int value:address size:uint
        getsockopt fd:fd level:level option:int value:address size:address
        sendfile out:fd in:fd offset:address count:size
        splice in:fd in_offset:address out:fd out_offset:address count:size flags:uint
        tee in:fd out:fd count:size flags:uint
        vmsplice fd:fd vectors:address count:size flags:uint
        clone flags:clone stack:address parent:address child:address tls:address
        clone3 arguments:address size:size
        fork
        vfork
        execve path:path arguments:address environment:address
        execveat dirfd:dirfd path:path arguments:address environment:address flags:at nonce:hex
        exit status:int
        exit_group status:int
        wait4 process:int status:address options:int usage:address
        waitid kind:int process:int info:address options:int usage:address
        kill process:int signal:signal
        tkill thread:int signal:signal
        tgkill process:int thread:int signal:signal
        pidfd_open process:int flags:uint
        pidfd_getfd pidfd:fd fd:fd flags:uint
        pidfd_send_signal pidfd:fd signal:signal info:address flags:uint
        process_vm_readv process:int local:address locals:size remote:address remotes:size flags:hex
        process_vm_writev process:int local:address locals:size remote:address remotes:size flags:hex
        process_madvise pidfd:fd vectors:address count:size advice:advice flags:uint
        ptrace request:ptrace process:int address:address data:hex
        prctl option:prctl arg2:hex arg3:hex arg4:hex arg5:hex
        arch_prctl code:arch_prctl address:hex
        personality persona:hex
        seccomp operation:seccomp flags:uint argument:address
        bpf command:int attributes:address size:uint
        perf_event_open attributes:address process:int cpu:int group:fd flags:hex
        userfaultfd flags:open
        io_uring_setup entries:uint parameters:address
        io_uring_enter fd:fd submit:uint complete:uint flags:uint mask:address size:size
        io_uring_register fd:fd operation:uint argument:address count:uint
        keyctl operation:int arg2:hex arg3:hex arg4:hex arg5:hex
        add_key type:path description:path payload:address size:size keyring:int
        request_key type:path description:path callout:path keyring:int
        unshare flags:namespaces
        setns fd:fd type:namespaces
        chroot path:path
        pivot_root new:path old:path
        mount source:path target:path type:path flags:mount data:address
        umount2 target:path flags:int
        open_tree dirfd:dirfd path:path flags:hex
        move_mount from:dirfd from_path:path to:dirfd to_path:path flags:hex
        fsopen type:path flags:uint
        fsconfig fd:fd command:uint key:path value:address aux:int
        fsmount fd:fd flags:uint attributes:hex
        fspick dirfd:dirfd path:path flags:uint
        mount_setattr dirfd:dirfd path:path flags:hex attributes:address size:size
        swapon path:path flags:int
        swapoff path:path
        reboot magic:hex magic2:hex command:hex argument:address
        kexec_load entry:hex count:size segments:address flags:hex
        kexec_file_load kernel:fd initrd:fd size:size command_line:path flags:hex
        init_module image:address size:size parameters:path
        finit_module fd:fd parameters:path flags:int
        delete_module name:path flags:open
        sethostname name:path size:size
        setdomainname name:path size:size
        acct path:path
        quotactl command:hex special:path id:int address:address
        fcntl fd:fd command:fcntl argument:hex
        flock fd:fd operation:lock
        fsync fd:fd
        fdatasync fd:fd
        truncate path:path size:size
        ftruncate fd:fd size:size
        fallocate fd:fd mode:fallocate offset:size size:size
        fadvise64 fd:fd offset:long size:size advice:use
        getdents fd:fd buffer:address size:uint
        getdents64 fd:fd buffer:address size:uint
        getcwd buffer:address size:size
        chdir path:path
        fchdir fd:fd
        rename old:path new:path
        renameat old_dirfd:dirfd old:path new_dirfd:dirfd new:path
        renameat2 old_dirfd:dirfd old:path new_dirfd:dirfd new:path flags:uint
        mkdir path:path mode:mode
        mkdirat dirfd:dirfd path:path mode:mode
        rmdir path:path
        creat path:path mode:mode
        link old:path new:path
        linkat old_dirfd:dirfd old:path new_dirfd:dirfd new:path flags:at
        unlink path:path
        unlinkat dirfd:dirfd path:path flags:at
        symlink target:path path:path
        symlinkat target:path dirfd:dirfd path:path
        readlink path:path buffer:address size:int
        readlinkat dirfd:dirfd path:path buffer:address size:int
        chmod path:path mode:mode
        fchmod fd:fd mode:mode
        fchmodat dirfd:dirfd path:path mode:mode
        fchmodat2 dirfd:dirfd path:path mode:mode flags:at
        chown path:path user:user group:group
        fchown fd:fd user:user group:group
        lchown path:path user:user group:group
        fchownat dirfd:dirfd path:path user:user group:group flags:at
        utimensat dirfd:dirfd path:path times:address flags:at
        mknod path:path mode:mode device:hex
        mknodat dirfd:dirfd path:path mode:mode device:hex
        umask mask:mode
        openat dirfd:dirfd path:path flags:open mode:mode
        openat2 dirfd:dirfd path:path how:address size:size
        newfstatat dirfd:dirfd path:path status:address flags:at
        statx dirfd:dirfd path:path flags:at mask:uint status:address
        statfs path:path status:address
        fstatfs fd:fd status:address
        name_to_handle_at dirfd:dirfd path:path handle:address mount:address flags:int
        open_by_handle_at fd:fd handle:address flags:open
        setxattr path:path name:path value:address size:size flags:int
        lsetxattr path:path name:path value:address size:size flags:int
        fsetxattr fd:fd name:path value:address size:size flags:int
        getxattr path:path name:path value:address size:size
        fgetxattr fd:fd name:path value:address size:size
        removexattr path:path name:path
        fremovexattr fd:fd name:path
        inotify_add_watch fd:fd path:path mask:hex
        inotify_init1 flags:open
        fanotify_init flags:hex event_flags:open
        copy_file_range in:fd in_offset:address out:fd out_offset:address count:size flags:uint
        close_range first:uint last:uint flags:close_range
        futex word:address operation:futex value:uint timeout:address word2:address value3:uint
        set_tid_address word:address
        set_robust_list head:address size:size
        rseq area:address size:uint flags:int signature:hex
        membarrier command:int flags:uint cpu:int
        getrlimit resource:resource limit:address
        setrlimit resource:resource limit:address
        prlimit64 process:int resource:resource new_limit:address old_limit:address
        getrusage who:int usage:address
        getpriority which:int who:int
        setpriority which:int who:int priority:int
        sched_setscheduler process:int policy:int param:address
        sysinfo info:address
        uname name:address
        syslog action:int buffer:address size:int
        timer_create clock:clock event:address timer:address
        timerfd_create clock:clock flags:open
        eventfd2 value:uint flags:open
        signalfd4 fd:fd mask:address size:size flags:open
        epoll_create1 flags:open
        epoll_ctl epoll:fd operation:int fd:fd event:address
        epoll_wait epoll:fd events:address count:int timeout:int
        epoll_pwait epoll:fd events:address count:int timeout:int mask:address size:size
        setuid user:user
        setgid group:group
        setreuid real:user effective:user
        setregid real:group effective:group
        setresuid real:user effective:user saved:user
        setresgid real:group effective:group saved:group
        setgroups count:int groups:address
        setsid
        setpgid process:int group:int
        capset header:address data:address
        capget header:address data:address
        landlock_create_ruleset attributes:address size:size flags:uint
        landlock_add_rule fd:fd kind:int attributes:address flags:uint
        landlock_restrict_self fd:fd flags:uint
        mbind address:address size:size mode:int nodes:address maximum:size flags:uint
        set_mempolicy mode:int nodes:address maximum:size
        move_pages process:int count:size pages:address nodes:address status:address flags:int
        migrate_pages process:int maximum:size old:address new:address
        modify_ldt function:int entry:address size:size
        iopl level:int
        ioperm from:hex count:size on:int
        """
}
