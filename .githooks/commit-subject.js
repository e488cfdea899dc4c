// Checks the messages of commits: `node .githooks/commit-subject.js <file>` as a hook, `--range a..b` for a pull request.
// Plain JavaScript without packages, because a hook runs with the Node that the machine has.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const MAX = 72
const AREA = /^[a-z0-9][a-z0-9./-]*(?:, [a-z0-9][a-z0-9./-]*)*!?: (?=\S)/
/** Git's own subjects. */
const OF_GIT = /^(?:Merge |Revert ")/
/** To be squashed before the branch is offered. */
const TEMPORARY = /^(?:fixup|squash|amend)! /
/** First words that are not imperative: past tense, -ing forms, third person, articles. */
const NO_COMMAND =
  /^(?:\w{3,}ing|\w{2,}[^e\W]ed|a|an|the|this|these|adds|allows|changes|corrects|does|fixes|has|is|keeps|makes|moves|removes|shows|updates|uses|were|was)$/
/** Commands that only look like one of these. */
const COMMANDS = new Set(['bring', 'embed', 'ping', 'shed', 'string', 'swing'])

/**
 * @param {string} message the whole message
 * @returns {string[]} what is wrong, as sentences; empty if nothing is
 */
export function problemsOf(message) {
  const [subject = '', second = ''] = message.split('\n')
  if (OF_GIT.test(subject)) return []
  const problems = []
  const area = AREA.exec(subject)
  if (area === null) problems.push('Begin with the area and a colon: "sync: keep plays without a time".')
  else {
    const [first = ''] = subject.slice(area[0].length).split(' ')
    if (NO_COMMAND.test(first.toLowerCase()) && !COMMANDS.has(first.toLowerCase()))
      problems.push(`Say what the commit does as a command ("keep", "add", "refuse"), not "${first}".`)
  }
  if (subject.length > MAX) problems.push(`The subject has ${subject.length} characters; at most ${MAX} are allowed.`)
  if (/[.;,:]$/.test(subject)) problems.push('End the subject without punctuation.')
  else if (subject.includes(';')) problems.push('A subject with ";" has two intentions: make two commits.')
  if (second !== '') problems.push('Leave the line after the subject empty.')
  return problems
}

/** The message that git will store: without comments, and without the diff of `commit --verbose`. */
export function storedMessage(text) {
  const [message = ''] = text.split(/^# -+ >8 -+$/m)
  return message
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .trim()
}

/** @returns {number} the exit code */
function report(subject, problems) {
  if (problems.length === 0) return 0
  process.stderr.write(`${subject}\n${problems.map((problem) => `  - ${problem}\n`).join('')}`)
  return 1
}

function main([first, range]) {
  if (first === undefined || (first === '--range' && range === undefined)) {
    process.stderr.write('Use: commit-subject.js <file of a message> | --range <base>..<head>\n')
    return 2
  }
  if (first !== '--range') {
    const message = storedMessage(readFileSync(first, 'utf8'))
    // An empty message ends the commit by itself.
    if (message === '' || TEMPORARY.test(message)) return 0
    return report(message.split('\n')[0], problemsOf(message))
  }
  const log = execFileSync('git', ['log', '--no-merges', '-z', '--format=%B', range], { encoding: 'utf8' })
  let code = 0
  for (const message of log.split('\0').map((text) => text.trim()))
    if (message !== '') code |= report(message.split('\n')[0], problemsOf(message))
  if (code !== 0) process.stderr.write('\nHow commits look: CONTRIBUTING.md, "Commits".\n')
  return code
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = main(process.argv.slice(2))
