# What the scripts of board/cross share; sourced by them.
cross=${GAITWAY_CROSS:-/var/cache/gaitway-cross} # 4 GB: compiler, sysroots, Swift runtimes
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { echo "board/cross: $*" >&2; }

stop() {
    say "$1"
    exit "${2:-1}"
}

# The first Debian mirror that apt knows here.
mirror() { apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -m1 '/debian$'; }

gcc_of() {
    case $1 in
    bookworm) echo 12 ;;
    trixie) echo 14 ;;
    *) stop "bookworm or trixie, not \"$1\"" 64 ;;
    esac
}

host() { dpkg --print-architecture; }

triple_of() {
    case $1 in
    amd64) echo x86_64-pc-linux-gnu ;; # what Debian's modules are called
    arm64) echo aarch64-unknown-linux-gnu ;;
    armhf) echo armv7-unknown-linux-gnueabihf ;;
    *) stop "amd64, arm64 or armhf, not \"$1\"" 64 ;;
    esac
}
libraries_of() { case $1 in amd64) echo x86_64-linux-gnu ;; arm64) echo aarch64-linux-gnu ;; armhf) echo arm-linux-gnueabihf ;; esac; }

# qemu_of ARCH: qemu's name for its processor; nothing where this machine runs it itself.
qemu_of() {
    if [ "$1" = "$(host)" ]; then return; fi
    case $1 in amd64) echo x86_64 ;; arm64) echo aarch64 ;; armhf) echo arm ;; esac
}

# register_qemu ARCH: the kernel runs that processor's programs through qemu from now on, where it is another one.
register_qemu() {
    local processor
    processor=$(qemu_of "$1")
    if [ -z "$processor" ] || [ -e "/proc/sys/fs/binfmt_misc/qemu-$processor" ]; then return; fi
    mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    cat "/usr/lib/binfmt.d/qemu-$processor.conf" > /proc/sys/fs/binfmt_misc/register
}

# Version of the compiler in the root; the SDKs carry it in their names.
swift_version() { dpkg-query --admindir="$cross/host/var/lib/dpkg" -W -f '${Version}' swiftlang; }
sdk_of() { local version; version=$(swift_version); echo "swift-${version%%-*}-$2-$1"; }
sysroot_of() { local id; id=$(sdk_of "$1" "$2"); echo "$cross/sdks/$id.artifactbundle/$id/sysroot"; }

# Whether compiler and runtime for a target are there.
is_complete() {
    local sysroot
    [ -x "$cross/host/usr/libexec/swift/bin/swift-frontend" ] || return 1
    sysroot=$(sysroot_of "$1" "$2")
    # The headers that came last to the sysroots' packages; the second is the hub's alone.
    [ -f "$sysroot/../toolset.json" ] && [ -f "$sysroot/usr/include/simdjson.h" ] &&
        { [ "${product:-}" != gaitway-hub ] || [ -f "$sysroot/usr/include/qrencode.h" ]; }
}

existing_parent() {
    local path=$1
    while [ ! -e "$path" ]; do path=$(dirname "$path"); done
    echo "$path"
}

# A failed step shows the end of its log.
logged() {
    local log=$cross/$1.log
    shift
    "$@" > "$log" 2>&1 || { tail -20 "$log" >&2; stop "failed: ${*:1:3} ... (all of it in $log)"; }
}

# A Debian root or sysroot. Debian sid's Release file may be days old on a mirror.
bootstrap() {
    mmdebstrap --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' "$@"
}

# The C library, libstdc++ and the libraries that gaitway links, unpacked: nothing of the target runs here.
make_sysroot() {
    local arch=$1 base=$2 out=$3 link
    bootstrap --variant=extract --architectures="$arch" \
        --include="libc6-dev,libstdc++-$(gcc_of "$base")-dev,libiio-dev,libtomlplusplus-dev,libcurl4-openssl-dev,zlib1g-dev,libsqlite3-dev,libsimdjson-dev,libpq-dev,libqrencode-dev" \
        "$base" "$out" "deb $(mirror) $base main"
    if [ -d "$out/lib" ] && [ ! -L "$out/lib" ]; then
        cp -a "$out/lib/." "$out/usr/lib/"
        rm -rf "$out/lib"
    fi
    ln -sfn usr/lib "$out/lib"
    if [ -d "$out/usr/lib64" ] && [ ! -e "$out/lib64" ]; then ln -s usr/lib64 "$out/lib64"; fi
    rm -rf "$out"/{dev,tmp,var,proc,sys,run,usr/share,usr/sbin}
    # Absolute links would point into this machine.
    find "$out" -type l -lname '/*' | while read -r link; do
        ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$out$(readlink "$link")")" "$link"
    done
}

# describe_sdk ARCH BASE TOOLSET: the JSON files that make a directory a SwiftPM SDK.
describe_sdk() {
    local id root
    id=$(sdk_of "$1" "$2")
    root=$cross/sdks/$id.artifactbundle
    cat > "$root/info.json" << J
{"schemaVersion":"1.0","artifacts":{"$id":{"type":"swiftSDK","version":"$(swift_version)","variants":[{"path":"$id"}]}}}
J
    cat > "$root/$id/swift-sdk.json" << J
{"schemaVersion":"4.0","targetTriples":{"$(triple_of "$1")":{
 "sdkRootPath":"sysroot","swiftResourcesPath":"sysroot/usr/lib/swift","swiftStaticResourcesPath":"sysroot/usr/lib/swift_static",
 "includeSearchPaths":["sysroot/usr/include"],"librarySearchPaths":["sysroot/usr/lib/$(libraries_of "$1")"],"toolsetPaths":["toolset.json"]}}}
J
    echo "$3" > "$root/$id/toolset.json"
}

# lock_build SCRATCH: one build in a folder at a time, and nobody makes the SDK anew meanwhile. Another clone's program is not stripped for
# this one's.
lock_build() {
    exec 8> "$cross/setup.lock" 9> "$1.lock"
    flock --shared 8
    flock 9
}

# bind_mirror: arguments for enter that show it the folder where this machine's git reads packages from, if there is one.
bind_mirror() {
    local folder
    for folder in $(git config --get-regexp '^url\..*\.insteadof$' | sed -nE 's,^url\.(/[^ ]*)\.insteadof .*,\1,p' | sort -u); do
        echo "--bind ${folder%/}"
    done
}
