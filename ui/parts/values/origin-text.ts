// Who caused an operation, as a sentence with local dates.
import type { Answer } from '../../api/client.ts'
import { locale } from '../../texts/language.ts'
import { origin as texts } from '../../texts/en/origin.ts'
import { say } from '../../texts/say.ts'

type Shown = Pick<Answer<'GET /api/run/plan/{plan_id}'>['items'][number], 'origin' | 'origin_carrier'>
type Origin = NonNullable<Shown['origin']>

/** Further profiles may be other people. */
const OWN_PROFILE = 'default'
const LOCAL = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const UTC = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** Null if the actor is unknown: the cause of the operation says the same. */
export function originText(
  { origin, origin_carrier: carrier }: { readonly [name in keyof Shown]?: Shown[name] | undefined },
  feature: string | null,
  nameOf: (provider: string, instance: string) => string,
): string | null {
  if (origin == null || (origin.by === 'unknown' && origin.act === 'set' && carrier == null)) return null
  const act = actText(origin, feature, nameOf(origin.provider, origin.instance))
  if (carrier == null) return act
  const account = nameOf(carrier.provider, carrier.instance)
  return say(origin.act === 'remove' ? texts.carriedRemoval : texts.carried, { act, account })
}

function actText(origin: Origin, feature: string | null, account: string): string {
  const { act, at, by, instance, value } = origin
  const when = whenText(origin)
  if (by === 'undo') return say(texts.undo, { account, when })
  if (by === 'unknown' && act === 'remove') return say(texts.missing, { account, when })
  if (by === 'unknown')
    return at === null ? say(texts.unknown, { account }) : say(texts.dated, { account, day: dayOf(at) })
  if (by === 'requested') return say(act === 'remove' ? texts.requestedRemoval : texts.requested, { account, when })
  if (act === 'remove') return say(texts.removed, { account, when })
  const forms = instance === OWN_PROFILE ? texts.own : texts.others
  if (feature === 'ratings' && value !== undefined) return say(forms.rated, { account, when, value })
  return say(forms[feature as keyof typeof forms] ?? forms.watchlist, { account, when, value: '' })
}

function whenText({ at, from_at: from, to_at: to }: Origin): string {
  const { when } = texts
  if (at !== null) return say(when.on, { day: dayOf(at) })
  if (from === undefined) return to === undefined ? '' : say(when.before, { to: dayOf(to) })
  if (to === undefined) return say(when.after, { from: dayOf(from) })
  const [first, last] = [dayOf(from), dayOf(to)]
  return first === last ? say(when.on, { day: last }) : say(when.between, { from: first, to: last })
}

/** A day is the same one in every time zone. */
function dayOf(time: string): string {
  return (time.length > 10 ? LOCAL : UTC).format(Date.parse(time))
}
