// Sends actions for the positions of items, and reports their results.
import { type Answer, api } from '../../api/client.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { acrossPersons } from '../../parts/persons/persons.ts'
import { continueWatching as texts } from '../../texts/en/continue.ts'
import { say } from '../../texts/say.ts'
import {
  ABILITIES,
  accountNames,
  type Item,
  nameOf,
  type Operation,
  type Position,
  positionsOf,
} from '../../parts/titles/positions.ts'

type Result = Answer<'POST /api/playback_progress/actions/bulk'>['results'][number]

/** The limit of the service per request. */
const BATCH = 250
const WORDS = { remove_progress: texts.remove, mark_watched: texts.watched, update_progress: texts.set } as const

/** The positions of the items that allow the operation. */
export function targetsOf(items: readonly Item[], operation: Operation): readonly Position[] {
  return items.flatMap(positionsOf).filter((position) => position[ABILITIES[operation]])
}

/** Asks for confirmation. Returns true if something was sent. */
export async function confirmAndRun(
  operation: 'remove_progress' | 'mark_watched',
  items: readonly Item[],
  refresh: () => Promise<unknown>,
): Promise<boolean> {
  const able = items.filter((item) => item[ABILITIES[operation]])
  const targets = targetsOf(able, operation)
  if (targets.length === 0) {
    notifyFailure(new Error(texts.nothingPossible), WORDS[operation].failed)
    return false
  }
  const words = WORDS[operation]
  const isSure = await confirm({
    title: say(words.title, { n: able.length }),
    text: say(words.text, { services: accountNames(targets) }),
    touches: able.map(nameOf),
    action: say(words.action, { n: able.length }),
    destructive: operation === 'remove_progress',
  })
  if (!isSure) return false
  await run(operation, targets, refresh, {}, able.length)
  return true
}

/** @param shown number of titles; a title can have several positions */
export async function run(
  operation: Operation,
  targets: readonly Position[],
  refresh: () => Promise<unknown>,
  more: { readonly progress_percent?: number },
  shown: number,
): Promise<void> {
  const words = WORDS[operation]
  const results: Result[] = []
  let meant: { readonly across_persons?: true } = {}
  try {
    for (let start = 0; start < targets.length; start += BATCH) {
      const answer = await acrossPersons((confirmed) => {
        meant = { ...meant, ...confirmed }
        return api('POST /api/playback_progress/actions/bulk', {
          body: {
            action: operation,
            items: targets
              .slice(start, start + BATCH)
              .map(({ provider, instance_id, remote_id }) => ({ provider, instance_id, remote_id })),
            ...more,
            ...meant,
          },
        })
      })
      if (answer === undefined) return
      results.push(...answer.results)
    }
    report(words, results, targets, shown)
  } catch (error) {
    notifyFailure(error, words.failed)
  } finally {
    await refresh()
  }
}

function report(
  words: (typeof WORDS)[Operation],
  results: readonly Result[],
  targets: readonly Position[],
  shown: number,
): void {
  const failed = results.filter(({ ok }) => !ok)
  if (failed.length === 0) {
    notifyDone(results.some(({ status }) => status === 'queued') ? texts.queued : say(words.done, { n: shown }))
    return
  }
  const labels = new Map(targets.map(({ provider, provider_label: label }) => [provider, label]))
  const reasons = new Set(
    failed.map(({ provider, message = '' }) =>
      say(texts.atService, { service: labels.get(provider) ?? provider, reason: message }),
    ),
  )
  notifyFailure(
    new Error(
      say(texts.partly, {
        done: results.length - failed.length,
        total: results.length,
        reasons: [...reasons].join(' '),
      }),
    ),
    words.failed,
  )
}
