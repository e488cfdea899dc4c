// The adapter of a plugin without a simulator: one recorded account.
import type { Feature } from '../../provider/features.ts'
import type { TestHost } from '../contract.ts'
import { LeftOut } from './checks/support.ts'
import type { Adapter } from './contract.ts'
import { startFaultyServer } from './faulty-server.ts'
import { openRecording } from './recording.ts'

const FIXED = 'a recorded account stays as it is'

export interface RecordedOptions {
  /** JSON lines, see docs/reference/conformance.md. */
  readonly file: string | URL
  /** Number of recorded rows by feature. */
  readonly rows: Readonly<Partial<Record<Feature, number>>>
  /** Settings that connect the plugin to the recording at this address. */
  config(url: string): Readonly<Record<string, unknown>>
  /** Signs in at a profile; throws on failure. */
  signIn(host: TestHost, instance: string, url: string): Promise<void>
  /** Secrets of the sign-in. */
  readonly secrets: readonly string[]
}

/**
 * Checks that need another account, or a change of this one, are skipped.
 *
 * @example
 * export default recordedAdapter({
 *   file: new URL('./recording.jsonl', import.meta.url),
 *   rows: { ratings: 42 },
 *   config: (url) => ({ server: url }),
 *   signIn: (host, _instance, url) => host.changeConfig({ server: url, api_key: 'test-key' }),
 *   secrets: ['test-key'],
 * })
 */
export function recordedAdapter({ file, rows, config, signIn, secrets }: RecordedOptions): Adapter {
  return {
    async start() {
      const recording = await openRecording(file)
      const server = await startFaultyServer((request) => recording.answer(request))
      const there = new Set<Feature>()
      return {
        services: [server],
        config: config(server.url),
        signIn(host, instance, person) {
          if (person !== 0) throw new LeftOut(FIXED)
          return signIn(host, instance, server.url)
        },
        seed(person, feature) {
          if (person !== 0 || rows[feature] === undefined || there.has(feature)) throw new LeftOut(FIXED)
          there.add(feature)
        },
        fresh() {
          throw new LeftOut(FIXED)
        },
        count: (_person, feature) => rows[feature] ?? 0,
        secrets: () => secrets,
        isRecorded: true,
        close: () => server.close(),
      }
    },
  }
}
