# Read by `run` and `check`: finds the toolchain, and builds where something has changed. POSIX sh.

lock_wait_s_max=600
stamp=$here/target/built
kept_classes=$here/target/bots.jsa
maven_log=$here/target/maven.log
protos=$here/../../protos

fail() {
    echo "clients/java: $*" >&2
    exit 1
}

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" >/dev/null || fail "there is no java here: install a JDK 17 or newer, or set JAVA_HOME"

# A property of pom.xml.
property() {
    sed -n "s:.*<$1>\(.*\)</$1>.*:\1:p" "$here/pom.xml"
}

# Writes to a log, which the caller shows when it fails. Offline first: once all has been fetched, nothing is asked of the
# network. Only under the lock.
maven() {
    command -v mvn >/dev/null || fail "there is no mvn here: install Maven 3.8 or newer"
    mkdir -p "$here/target"
    mvn -B -o -f "$here/pom.xml" "$@" >"$maven_log" 2>&1 && return
    grep -q -i -e 'offline' -e 'could not resolve' -e 'could not be resolved' "$maven_log" || return 1
    mvn -B -f "$here/pom.xml" "$@" >"$maven_log" 2>&1
}

complaints() {
    grep -E '^\[(ERROR|WARNING)\]' "$maven_log" >&2 || cat "$maven_log" >&2
}

is_built() {
    [ -f "$stamp" ] && [ -z "$(
        find "$here/src/main" "$here/pom.xml" -newer "$stamp" -print | head -n 1
        find "$protos" -name '*.proto' -newer "$stamp" -print | head -n 1
    )" ]
}

unlock() {
    rm -rf "$here/.building"
    trap - EXIT TERM INT
}

# One builds at a time; one that waited finds nothing left to do. A lock whose holder is gone is broken.
lock() {
    waited_s=0
    until mkdir "$here/.building" 2>/dev/null; do
        holder=$(cat "$here/.building/pid" 2>/dev/null || true)
        if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
            rm -rf "$here/.building"
            continue
        fi
        [ "$waited_s" -lt "$lock_wait_s_max" ] ||
            fail "another build has held $here/.building for $lock_wait_s_max s: end it, or remove that folder"
        sleep 1
        waited_s=$((waited_s + 1))
    done
    trap unlock EXIT
    trap 'exit 143' TERM
    trap 'exit 130' INT
    echo $$ >"$here/.building/pid"
}

build() {
    is_built && return
    lock
    if ! is_built; then
        mkdir -p "$here/target"
        # From before the build: what is written meanwhile counts as newer.
        : >"$here/target/began"
        rm -rf "$here/target/jars" "$kept_classes"
        if ! maven -Dmaven.test.skip=true package dependency:copy-dependencies -DincludeScope=runtime \
            "-DoutputDirectory=$here/target/jars"; then
            complaints
            fail "it cannot be built: see above"
        fi
        mv "$here/target/began" "$stamp"
    fi
    unlock
}

# The library and all that it needs.
class_path() {
    path=$here/target/mergemaker-0.1.0.jar
    for jar in "$here"/target/jars/*.jar; do
        path=$path:$jar
    done
    echo "$path"
}
