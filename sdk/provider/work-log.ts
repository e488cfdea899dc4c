// Logs reads, write batches and account health in the provider's channel.
import { writeOutcomes } from './writes/outcomes.ts'
import type { Logger } from '../logger.ts'
import { isPlayheadError } from '../errors.ts'
import type { AccountHealth } from './contract.ts'
import type { ReadPart, ReadRequest } from './reads/contract.ts'
import type { WriteRequest, WriteResult } from './writes/contract.ts'
import { defined } from '../defined.ts'

const DONE = { add: 'added', update: 'updated', remove: 'removed' } as const
const FINE: readonly string[] = writeOutcomes('done')

export async function* loggedRead(
  log: Logger,
  instance: string,
  { feature, since }: ReadRequest,
  parts: AsyncIterable<ReadPart>,
): AsyncIterable<ReadPart> {
  const startedAt = performance.now()
  let rows = 0
  try {
    for await (const part of parts) {
      if (part.type === 'rows') rows += part.rows.length
      else {
        const { complete, reason, semantics } = part.end
        const facts = {
          instance,
          rows,
          ms: Math.round(performance.now() - startedAt),
          ...(since === undefined ? {} : { answer: semantics }),
        }
        if (!complete) log.warn({ ...facts, reason }, `${feature} was not read completely`)
        else
          log[semantics === 'unchanged' ? 'debug' : 'info'](
            facts,
            semantics === 'unchanged' ? `${feature} did not change` : `${feature} was read`,
          )
      }
      yield part
    }
  } catch (error) {
    log.warn({ instance, rows, code: codeOf(error) }, `${feature} could not be read`)
    throw error
  }
}

export async function loggedWrite(
  log: Logger,
  instance: string,
  { feature, op, items }: WriteRequest,
  work: Promise<WriteResult>,
): Promise<WriteResult> {
  const startedAt = performance.now()
  try {
    const result = await work
    const counts: Record<string, number> = {}
    for (const { outcome } of result.outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
    const isFine = Object.keys(counts).every((outcome) => FINE.includes(outcome))
    log[isFine ? 'info' : 'warn'](
      { instance, ...counts, ms: Math.round(performance.now() - startedAt) },
      `${feature}: ${DONE[op]}`,
    )
    return result
  } catch (error) {
    log.warn({ instance, items: items.length, code: codeOf(error) }, `${feature} could not be ${DONE[op]}`)
    throw error
  }
}

/** Logs the health of an account when it changes. */
export function createHealthLog(log: Logger): (instance: string, health: AccountHealth) => void {
  const last = new Map<string, string>()
  return (instance, { status, reasonCode, reason, user }) => {
    const now = `${status} ${reasonCode ?? ''}`
    if (last.get(instance) === now) return
    last.set(instance, now)
    if (status === 'ok' || status === 'degraded')
      log.info(
        { instance, ...defined({ user: user?.name }) },
        status === 'ok' ? 'the account answers' : 'the account answers, with limits',
      )
    else log.warn({ instance, status, ...defined({ reason }) }, 'the account cannot be used')
  }
}

function codeOf(error: unknown): string {
  return isPlayheadError(error) ? error.code : 'unexpected'
}
