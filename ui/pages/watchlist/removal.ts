// Removes titles from one watchlist or from all, after a confirmation.
import { api } from '../../api/client.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { acrossPersons } from '../../parts/persons/persons.ts'
import { watchlist } from '../../texts/en/watchlist.ts'
import { say } from '../../texts/say.ts'
import type { Row } from './rows.ts'
import type { Services } from './names.ts'
import { locale } from '../../texts/language.ts'

const texts = watchlist.remove
const list = new Intl.ListFormat(locale)

/** @param source token of the service; null for all */
export async function removeRows(
  rows: readonly Row[],
  source: string | null,
  services: Services,
  refresh: () => Promise<unknown>,
): Promise<boolean> {
  const touched = source === null ? rows : rows.filter((row) => row.sources.includes(source))
  if (touched.length === 0) return false
  const isSure = await confirm({
    title: say(texts.title, { n: touched.length }),
    text:
      source === null
        ? say(texts.all, { services: serviceNames(touched, services) })
        : say(texts.from, { service: services(source).label }),
    touches: touched.map(({ title, year }) => (year === null ? title : `${title} (${year})`)),
    action: say(texts.action, { n: touched.length }),
  })
  if (!isSure) return false
  try {
    const answer = await acrossPersons((confirmed) =>
      api('POST /api/watchlist/delete', {
        body: {
          provider: source === null ? 'ALL' : services(source).id,
          keys: touched.map(({ key, item }) => ({ key, aliases: item.aliases })),
          ...confirmed,
        },
      }),
    )
    if (answer === undefined) return false
    const { deleted_ok: done, deleted_total: total, partial, ok, results, unresolved } = answer
    if (ok && !partial) notifyDone(say(texts.done, { n: touched.length }))
    else
      notifyFailure(
        new Error(say(texts.failedText, { done, total, reason: reasonsOf(results, unresolved, services) })),
        texts.failed,
      )
    return ok
  } catch (error) {
    notifyFailure(error, texts.failed)
    return false
  } finally {
    await refresh()
  }
}

function serviceNames(rows: readonly Row[], services: Services): string {
  const counts = new Map<string, number>()
  for (const row of rows) for (const token of row.sources) counts.set(token, (counts.get(token) ?? 0) + 1)
  return list.format([...counts].map(([token, n]) => say(texts.part, { service: services(token).label, n })))
}

interface Result {
  readonly provider: string
  readonly ok: boolean
  readonly per_key: readonly Readonly<Record<string, unknown>>[]
}

function reasonsOf(
  results: readonly Result[],
  unresolved: readonly { readonly reason: string }[],
  services: Services,
): string {
  const ofServices = results
    .filter(({ ok }) => !ok)
    .map(({ provider, per_key: keys }) => {
      const reason = keys.map((one) => one['reason']).find((one): one is string => typeof one === 'string') ?? ''
      return say(texts.atService, { service: services(provider).label, reason: removalReason(reason) })
    })
  return [...new Set([...ofServices, ...unresolved.map(({ reason }) => removalReason(reason))])].join('; ')
}

function removalReason(reason: string): string {
  return (texts.reasons as Readonly<Record<string, string>>)[reason] ?? reason.replaceAll('_', ' ')
}
