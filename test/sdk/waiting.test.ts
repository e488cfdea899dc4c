// Time limits on a busy machine, and times that a wrong clock recorded.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createOnce, isRecent, msUntil } from '@playhead/sdk'
import t from 'tap'

const MINUTE_MS = 60_000

t.test('a time too far in the future counts as past', (t) => {
  const now = Date.UTC(2026, 10, 29)
  const year = 365 * 24 * 60 * MINUTE_MS
  t.equal(msUntil(now + 1_000, now, MINUTE_MS), 1_000)
  t.equal(msUntil(now - 1_000, now, MINUTE_MS), 0)
  t.equal(msUntil(now + year, now, MINUTE_MS), 0)
  t.ok(isRecent(now - 1_000, now, MINUTE_MS))
  t.ok(isRecent(now + 1_000, now, MINUTE_MS), 'the clock was corrected a little')
  t.notOk(isRecent(now - MINUTE_MS, now, MINUTE_MS))
  t.notOk(isRecent(now + year, now, MINUTE_MS))
  t.end()
})

t.test('work is done once, however many ask, and again after a failure', async (t) => {
  let calls = 0
  const ask = createOnce(async () => {
    calls += 1
    if (calls === 1) throw new Error('not yet')
    return calls
  })
  t.same(
    (await Promise.allSettled([ask(), ask()])).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.same(await Promise.all([ask(), ask()]), [2, 2])
  t.equal(await ask(), 2)
})

// 250 ms of work, with a limit of 600 ms.
const WORK = `
import { withTimeLimit, yieldToLoop } from '@playhead/sdk'
const ownMs = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1_000 }
async function work() {
  const endMs = ownMs() + 250
  while (ownMs() < endMs) await yieldToLoop()
  return 'done'
}
console.log(await withTimeLimit(work(), 600, () => new Error('late')).catch(({ message }) => message))
console.log(await withTimeLimit(new Promise(() => {}), 200, () => new Error('late')).catch(({ message }) => message))
`

t.test(
  'a limit counts only time in which the process could work, beside others on one processor',
  { skip: process.platform !== 'linux' || spawnSync('taskset', ['-V']).status !== 0 },
  async (t) => {
    const pinned = (...args: string[]) => spawn('taskset', ['-c', '0', process.execPath, ...args])
    const busy = Array.from({ length: 4 }, () => pinned('-e', 'for (;;) {}'))
    t.teardown(() => busy.forEach((one) => one.kill('SIGKILL')))
    const child = pinned('--input-type=module', '-e', WORK)
    let output = ''
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    child.stderr.on('data', (chunk) => (output += String(chunk)))
    await once(child, 'close')
    t.equal(output, 'done\nlate\n')
  },
)
