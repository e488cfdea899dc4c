// Finds items that both accounts of a pair rate differently. A difference of one point may come from a five-star service, and is only
// noted.
import { defined, PlayheadError } from '@playhead/sdk'
import { type Item, parseTime, sameTime } from '@playhead/sdk/items'
import { type AnalyzerWorld, defineAnalyzer, type FixRequest, type Route } from '@playhead/sdk/analyzer'

const ROUNDING = 1

export default defineAnalyzer({
  label: 'Different ratings',
  problems: [
    {
      type: 'rating_conflict',
      severity: 'warn',
      category: 'peer',
      meaning: 'The item has different ratings on the two accounts of the pair.',
      fix: 'The later rating replaces the earlier one, unless you choose.',
      fixFields: ['target'],
      isChoice: true,
    },
  ],
  needs: { features: ['ratings'], peers: true },
  begin(world) {
    const isShown = oneDirection(world)
    return {
      *inspect({ rows }) {
        for (const own of rows) {
          for (const { route, row } of own.peers) {
            if (row === undefined || row.rating === 0 || own.rating === 0 || !isShown(route)) continue
            const apart = Math.abs(row.rating - own.rating)
            if (apart === 0) continue
            yield {
              type: 'rating_conflict',
              key: own.key,
              severity: apart <= ROUNDING ? 'info' : 'warn',
              message: `${route.source.label} has ${own.rating}, ${route.target.label} ${row.rating}.`,
              fields: {
                target: route.target.name,
                target_key: row.key,
                values: { [route.source.name]: own.rating, [route.target.name]: row.rating },
              },
            }
          }
        }
      },
    }
  },
  fix({ account, row, peers, fields: { keep, target } }: FixRequest) {
    const other = peers.find(
      (one) =>
        one.row?.item.rating !== undefined &&
        one.row.item.rating !== row.item.rating &&
        (target === undefined || one.account.name === target),
    )
    if (other?.row === undefined || row.item.rating === undefined)
      throw new PlayheadError('PLH_INVALID', 'The ratings are no longer different.', { wire: 'nothing_to_fix' })
    const isOwnRight = keep === undefined ? isLater(row.item, other.row.item) : keep === account.name
    if (!isOwnRight && keep !== undefined && keep !== other.account.name)
      throw new PlayheadError('PLH_INVALID', 'Choose one of the accounts with a rating.', { wire: 'invalid_choice' })
    const [from, to] = isOwnRight ? [row, other.row] : [other.row, row]
    const at = isOwnRight ? other.account : account
    const { provider, instance } = isOwnRight ? account : other.account
    return {
      from: { provider, instance },
      changes: [`${at.label}: rating ${to.item.rating} becomes ${from.item.rating}`],
      plan: {
        provider: at.provider,
        instance: at.instance,
        feature: 'ratings' as const,
        changes: [
          {
            op: 'update' as const,
            key: to.key,
            item: { ...to.item, rating: from.item.rating!, ...defined({ rated_at: from.item.rated_at }) },
            current: to.item,
          },
        ],
      },
    }
  },
})

function isLater({ rated_at: ownAt }: Item, { rated_at: otherAt }: Item): boolean {
  const [own, other] = [parseTime(ownAt), parseTime(otherAt)]
  // A date and a time within that day have no order.
  if (own === undefined || other === undefined || sameTime(own, other, 0))
    throw new PlayheadError('PLH_INVALID', 'It is not known which rating is later. Choose the right one.', {
      wire: 'no_later_rating',
    })
  return own.atMs > other.atMs
}

/** A two-way pair has two routes with the same conflict. */
function oneDirection({ routes }: AnalyzerWorld): (route: Route) => boolean {
  const all = new Set(routes.map(nameOf))
  return (route) => {
    const { source, target } = route
    return source.name < target.name || !all.has(nameOf({ ...route, source: target, target: source }))
  }
}

function nameOf({ pairId, feature, source, target }: Route): string {
  return `${pairId} ${feature} ${source.name} ${target.name}`
}
