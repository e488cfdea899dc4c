import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { isTemporaryName } from '../../../core/storage/atomic-file.ts'
import { openDataDirectory } from '../../../core/storage/data-directory.ts'
import { openConfig, temporaryDirectory } from './support.ts'

const CHANGER = join(import.meta.dirname, 'change-forever.ts')
const ROUNDS = 6
// The kill comes after a random number of acknowledgements, including zero.
const MOST_ACKNOWLEDGED = 500
const LONGEST_WAIT_MS = 80
// Makes each write long enough to be interrupted.
const PADDING = 'x'.repeat(3_000_000)

t.test(
  'killed at any moment, the file is readable, no acknowledged change is lost, and nothing else changed',
  async (t) => {
    const directory = temporaryDirectory(t)
    const untouched = {
      version: '1.0.0',
      mediaB: { server: 'http://x', list: [1, 2, { deep: true }] },
      padding: PADDING,
    }
    await (await openDataDirectory(join(directory, 'data'))).close()
    await writeFile(join(directory, 'data', 'config.json'), JSON.stringify(untouched))
    const acknowledged = new Map<string, number>()

    for (let round = 0; round < ROUNDS; round += 1) {
      const after = round === 0 ? 0 : 1 + Math.floor(Math.random() * MOST_ACKNOWLEDGED)
      await runAndKill(directory, after, (lane, n) => acknowledged.set(lane, n))

      JSON.parse(await readFile(join(directory, 'data', 'config.json'), 'utf8'))
      const data = await openDataDirectory(join(directory, 'data'))
      const litter = (await readdir(data.path)).filter(isTemporaryName)
      const { config } = await openConfig(t, { directory: data.path })
      t.same(litter, [], 'nothing half written is left after the next start')
      t.match(config.status(), { available: true, corrupt: false, restoredFromLastGood: false })
      t.strictSame(JSON.parse(JSON.stringify(config.at('mediaB'))), untouched.mediaB)
      t.ok(config.at('padding') === PADDING)
      const lanes = (config.at('lanes') ?? {}) as Record<string, { n: number; access_token: string }>
      for (const [lane, n] of acknowledged) {
        const found = lanes[`lane${lane}`]
        if (found === undefined || found.n < n || found.access_token !== `token ${found.n}`)
          t.fail(`change ${n} of lane ${lane} was acknowledged and is lost`, { found })
      }
      await config.close()
      await data.close()
    }

    t.ok(acknowledged.size > 0, `${acknowledged.size} lanes acknowledged changes`)
  },
)

async function runAndKill(
  directory: string,
  after: number,
  onAcknowledged: (lane: string, n: number) => void,
): Promise<void> {
  const child = spawn(process.execPath, [CHANGER, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const lines = createInterface({ input: child.stdout })
    const closed = once(lines, 'close')
    let seen = 0
    const enough = new Promise<void>((resolve) =>
      lines.on('line', (line) => {
        const [lane, n] = line.split(' ')
        // A truncated last line is not an acknowledgement.
        if (lane !== undefined && n !== undefined) onAcknowledged(lane, Number(n))
        // The first line signals that the process is ready.
        if (seen >= after) resolve()
        seen += 1
      }),
    )
    await Promise.race([enough, closed])
    await sleep(Math.random() * LONGEST_WAIT_MS)
    child.kill('SIGKILL')
    await closed
  } finally {
    child.kill('SIGKILL')
  }
}
