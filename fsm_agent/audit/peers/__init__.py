"""Logs of other programs, told in our events: calls, results, usage.

reading      which format a file has, and its events line by line
telling      what the formats share: who is called what
claude_code  the sessions of Claude Code (JSON Lines)
codex        the rollouts of Codex (JSON Lines)
atif         trajectories (one JSON object)
pairing      the rules that need no seal and no table of ours
judging      one such log from its first line to its end

What they have no word for (permissions, states, seals) is not made up: rules about it are not
evaluated.
"""
