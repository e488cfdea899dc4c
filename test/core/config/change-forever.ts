// A child process that changes the configuration in a loop, 200 changes at a time, and prints the number of each acknowledged
// change, until it is killed.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createConfigService } from '../../../core/config/service.ts'
import { openDataDirectory } from '../../../core/storage/data-directory.ts'
import { openVault } from '../../../core/storage/vault.ts'

const CHANGES_AT_ONCE = 200

const path = process.argv[2]
if (path !== undefined) {
  const directory = await openDataDirectory(join(path, 'data'))
  const quiet = (): void => undefined
  const log = {
    trace: quiet,
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (fields: unknown) => process.stderr.write(`${String((fields as { err?: unknown }).err)}\n`),
    channel: () => log,
  }
  const config = await createConfigService({
    file: directory.config,
    vault: openVault({ keyFile: directory.secretKey }),
    version: '1.0.0',
    log,
  })
  let next = Number((config.at('counter') as number | undefined) ?? 0)
  writeSync(1, 'ready\n')

  for (;;) {
    await Promise.all(
      Array.from({ length: CHANGES_AT_ONCE }, async (_, lane) => {
        const mine = (next += 1)
        await config.change('test', (draft) => {
          const lanes = (draft['lanes'] ??= {}) as Record<string, unknown>
          lanes[`lane${lane}`] = { n: mine, access_token: `token ${mine}` }
          draft['counter'] = Math.max(Number(draft['counter'] ?? 0), mine)
        })
        // Synchronous: what the parent reads was acknowledged before the kill.
        writeSync(1, `${lane} ${mine}\n`)
      }),
    )
  }
}
