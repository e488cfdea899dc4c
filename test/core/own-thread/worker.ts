// The thread module of the test plugin.
import { PlayheadError, type ThreadHost, type WorkHold, capability } from '@playhead/sdk'

export interface Source {
  add(a: number, b: number): Promise<number>
  fail(): Promise<never>
  numbers(count: number, signal?: AbortSignal): AsyncIterable<readonly number[]>
}

const work = (host: ThreadHost) => {
  const source = host.use<Source>(capability('source'))
  const held: WorkHold[] = []
  const kept: Buffer[] = []
  return {
    add: (a: number, b: number) => source.add(a, b),
    refuse(): void {
      throw new PlayheadError('PLH_NOT_FOUND', 'There is no such thing.', { wire: 'no_such_thing', details: { id: 7 } })
    },
    passOn: async () => source.fail(),
    async sum(count: number, signal: AbortSignal) {
      let total = 0
      for await (const part of await source.numbers(count, signal))
        total += part.reduce((sum, number) => sum + number, 0)
      return total
    },
    async untilAborted(signal: AbortSignal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return 'aborted'
    },
    log: () => host.log.channel('SYNC').warn({ err: new Error('odd'), count: 1 }, 'from the thread'),
    async rows() {
      const db = host.openDatabase('rows')
      await db.transaction().execute(async (tx) => {
        await tx.insertInto('row').values({ text: 'written on the thread' }).execute()
      })
      return (await db.selectFrom('row').selectAll().execute()).map(({ text }) => text)
    },
    async hold(provider: string) {
      const hold = await host.work.begin({
        kind: 'change',
        label: 'A change on a thread',
        accounts: [{ provider, instance: 'default' }],
      })
      held.push(hold)
    },
    async holdWhenFree(provider: string, signal: AbortSignal) {
      const accounts = [{ provider, instance: 'default' }]
      held.push(await host.work.beginWhenFree({ kind: 'change', label: 'A change on a thread', accounts }, { signal }))
    },
    release: () => held.pop()?.release(),
    /** Allocates a buffer and never returns. */
    async grow(megabytes: number) {
      kept.push(Buffer.allocUnsafeSlow(megabytes * 1024 * 1024))
      await new Promise(() => {})
    },
    end(): void {
      process.exit(3)
    },
  }
}
export default work
export type Work = ReturnType<typeof work>
