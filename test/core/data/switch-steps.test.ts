// slow: real threads, disks and waits
// A restore that is killed before each of its file changes: the next start has the new state or the old one.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { switchRestored } from '../../../core/data/switch.ts'

t.setTimeout(900_000)

const OLD = ['config.json', 'secret.key', 'files/captures/a', 'files/captures/only-old', 'plugins/keeper/files/note']
const NEW = ['config.json', 'secret.key', 'files/captures/a', 'files/captures/only-new']
/** Data that the restore does not cover stays unchanged. */
const STAYS = { 'files/backups/x.zip': 'old', 'plugins/keeper/files/note': 'old' }
const OLD_STATE = { ...Object.fromEntries(OLD.map((path) => [path, 'old'])), ...STAYS }
const NEW_STATE = { ...Object.fromEntries(NEW.map((path) => [path, 'new'])), ...STAYS }
const START = join(import.meta.dirname, 'switch-start.ts')

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function stateOf(root: string): Readonly<Record<string, string>> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
  return Object.fromEntries(
    paths
      .filter((path) => !/^(restore|run)\//.test(path))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )
}

/** Returns true if the process was killed. */
function start(root: string, mode: string, changes: number): boolean {
  const { signal, status, stderr } = spawnSync(process.execPath, [START, root, mode, String(changes)])
  if (signal !== 'SIGKILL' && status !== 0) throw new Error(String(stderr))
  return signal === 'SIGKILL'
}

const folder = mkdtempSync(join(tmpdir(), 'playhead-switch-'))
atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
const unstaged = join(folder, 'unstaged')
for (const [path, text] of Object.entries(OLD_STATE)) write(unstaged, path, text)
for (const path of NEW) write(unstaged, `run/unpacked/${path}`, 'new')
const plan = { label: 'x.zip', stagedAtMs: 1, groups: ['config', 'key', 'captures'], files: NEW, owners: {} }
write(unstaged, 'run/plan.json', JSON.stringify(plan))
const staged = join(folder, 'staged')
cpSync(unstaged, staged, { recursive: true })
start(staged, 'stage', -1)

for (const [mode, from, wanted] of [
  ['stage', unstaged, [OLD_STATE, NEW_STATE]],
  ['confirm', staged, [NEW_STATE]],
  ['give-up', staged, [NEW_STATE, OLD_STATE]],
] as const)
  t.test(`property 52: killed before any change of ${mode}, the next start has one complete state`, async (t) => {
    const seen = new Set<string>()
    let isKilled = true
    for (let changes = 0; isKilled; changes += 1) {
      const root = join(folder, `${mode}-${changes}`)
      cpSync(from, root, { recursive: true })
      isKilled = start(root, mode, changes)
      // The next start is killed, too, and the one after that is not.
      start(root, 'confirm', changes % 5)
      await (await switchRestored(root, Date.now)).confirm()
      const state = stateOf(root)
      const found = wanted.findIndex((one) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(state)))
      seen.add(String(found))
      if (found === -1) t.same(state, wanted[0], `after ${changes} changes`)
      // Another start changes nothing and leaves nothing behind.
      await (await switchRestored(root, Date.now)).confirm()
      t.same(stateOf(root), state)
      const left = readdirSync(root, { recursive: true }).join()
      t.notMatch(left, /restore\/(pending|displaced|journal|unfinished)/)
      rmSync(root, { recursive: true })
    }
    t.notOk(seen.has('-1'))
    t.same(
      [...seen].sort(),
      wanted.map((_, index) => String(index)),
      'both happen',
    )
  })

function sorted(state: Readonly<Record<string, string>>) {
  return Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1))
}
