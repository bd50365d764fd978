"""carob completion: complete commands and options in a shell."""

from __future__ import annotations

import argparse

from carob.cli import _arguments, commands, parser

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from collections.abc import Iterator

SUMMARY = "print a script that completes commands and options in bash, zsh or fish"

_EPILOG = """bash: eval "$(carob completion bash)" in ~/.bashrc
zsh: eval "$(carob completion zsh)" in ~/.zshrc, after compinit
fish: carob completion fish > ~/.config/fish/completions/carob.fish"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"),
                        help="bash, zsh or fish")  # fmt: skip
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    scripts = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    print(scripts[arguments.shell](), end="")
    return 0


def _commands() -> Iterator[tuple[str, str, list[argparse.Action]]]:
    """Every command with its summary and its options."""
    for name in commands():
        below = next(action for action in parser(name)._actions if action.dest == "command")
        command = dict(below.choices or {})[name]
        options = [action for action in command._actions if action.option_strings]
        yield name, command.description, options


def _values(action: argparse.Action) -> list[str]:
    """The values that an option can have, if they are known."""
    if "--format" in action.option_strings:
        return list(_arguments.FORMATS)
    return [str(each) for each in action.choices or ()]


def _cases() -> tuple[str, str]:
    """The cases of a shell's `case`: values by command and option, options by command."""
    values, options = [], []
    for command, _, actions in _commands():
        names = " ".join(name for action in actions for name in action.option_strings)
        options.append(f"        {command}) words='{names}' ;;")
        for action in actions:
            every = " ".join(_values(action))
            for name in action.option_strings if every else ():
                values.append(f"        '{command} {name}') words='{every}' ;;")
    return "\n".join(values), "\n".join(options)


def _bash() -> str:
    values, options = _cases()
    return f"""_carob() {{
    local words='' current="${{COMP_WORDS[COMP_CWORD]}}"
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='{" ".join([*commands(), "--help", "--version"])}'
    else
        case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD-1]}}" in
{values}
        *) case "$current" in -*) case "${{COMP_WORDS[1]}}" in
{options}
        esac ;; esac ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _carob carob
"""


def _zsh() -> str:
    values, options = _cases()
    return f"""#compdef carob
_carob_words() {{
    local words=''
    if (( CURRENT == 2 )); then
        words='{" ".join([*commands(), "--help", "--version"])}'
    else
        case "$1 $2" in
{values}
        *) case "$3" in -*) case "$1" in
{options}
        esac ;; esac ;;
        esac
    fi
    print -r -- "$words"
}}
_carob() {{
    local found="$(_carob_words "$words[2]" "$words[CURRENT-1]" "$words[CURRENT]")"
    if [[ -n "$found" ]]; then
        compadd -- ${{=found}}
    else
        _files
    fi
}}
compdef _carob carob
"""


def _fish() -> str:
    lines = []
    for command, summary, actions in _commands():
        lines.append(
            f"complete -c carob -n __fish_use_subcommand -f -a {command} -d {_quoted(summary)}"
        )
        for action in actions:
            parts = ["complete -c carob", f"-n '__fish_seen_subcommand_from {command}'"]
            parts += [f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}"
                      for n in action.option_strings]  # fmt: skip
            values = _values(action)
            parts += ["-r"] * (action.nargs != 0) + [f"-f -a '{' '.join(values)}'"] * bool(values)
            lines.append(" ".join([*parts, f"-d {_quoted(action.help or '')}"]))
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + " ".join(text.split()).replace("\\", "\\\\").replace("'", "\\'") + "'"
