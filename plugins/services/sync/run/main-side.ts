// The main thread's part of the engine: functions that only need the database, so that they never wait for a run, and live reads,
// whose rows do not cross threads.
import { type AccountName, type Feature, PlayheadError } from '@playhead/sdk'
import type { EngineParts } from '../feature-run.ts'
import { readLive } from '../library/live.ts'
import { ignoreItems, restoreIgnored } from '../store/ignored.ts'
import { requeueInterrupted, settleSent } from '../store/interrupted-plans.ts'
import { beginEpoch, forgetAccount, purgePair, resetPair } from '../store/purge.ts'
import { recoverStages } from '../store/stage.ts'
import { clearUnresolved, clearUnresolvedRows, type UnresolvedClear, type UnresolvedId } from '../store/unresolved.ts'
import { outcomesOf, tallyOf } from './account-changes.ts'
import { assertRunnable } from './account-run.ts'
import { boundTo } from './engine.ts'
import { rememberInterrupted } from './interrupted.ts'
import { expectPlays, recordPlays } from './recorded-plays.ts'
import { previewUndo } from './undo.ts'
import { queueChange } from './waiting-changes.ts'

export type MainSide = ReturnType<typeof createMainSide>

export function createMainSide(engine: EngineParts) {
  const { db, unchangedProofs } = engine
  const { of, changing } = boundTo(engine)
  return {
    /** Settles the plans that an interrupted process was applying. Called once before the first run. */
    async recover(): Promise<void> {
      const stages = await recoverStages(db)
      if (await beginEpoch(db, engine.epoch ?? '')) {
        await unchangedProofs.clear()
        engine.log.warn({}, 'the stored data were replaced: the next run of each pair removes nothing')
      }
      await rememberInterrupted(engine)
      await requeueInterrupted(db)
      const unknown = await settleSent(db, engine.now())
      // A plan without a header was never finished.
      await db
        .deleteFrom('sync__plan_item')
        .where('plan_id', 'not in', db.selectFrom('sync__plan').select('id'))
        .execute()
      if (stages.finished + stages.dropped + unknown > 0)
        engine.log.info({ ...stages, unknown }, 'recovered from an interrupted run')
    },
    unresolved: {
      clear: changing((_, which: UnresolvedClear) => clearUnresolved(db, which)),
      clearRows: changing((_, rows: readonly UnresolvedId[]) => clearUnresolvedRows(db, rows)),
      ignore: changing((_, items: Parameters<typeof ignoreItems>[1], atMs: number) => ignoreItems(db, items, atMs)),
      restore: changing((_, which: Parameters<typeof restoreIgnored>[1]) => restoreIgnored(db, which)),
    },
    previewUndo: of(previewUndo),
    tally: of(tallyOf),
    outcomes: of(outcomesOf),
    assertRunnable: of(assertRunnable),
    queueChange: of(queueChange),
    /** Makes pairs forget the account. */
    forget: changing(async (_, { provider, instance }: AccountName, feature: Feature) => {
      const known = (await engine.accounts.list()).find((one) => one.provider === provider && one.instance === instance)
      if (known === undefined) throw new PlayheadError('PLH_NOT_FOUND', `There is no account ${provider}@${instance}.`)
      await forgetAccount(db, known.uid, feature)
    }),
    live: of(readLive),
    recordPlays: of(recordPlays),
    expectPlays: of(expectPlays),
    purgePair: changing((_, pairId: string) => purgePair(db, pairId)),
    resetPair: changing((_, pairId: string) => resetPair(db, pairId)),
  }
}
