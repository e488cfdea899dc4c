// Resolves the account of a request: `TRACKA`, `TRACKA@TRACKA-P01`, also with `#` or `:` in between.
import { type AccountName, type AnalyzedFeature, LIBRARY, PlayheadError } from '@playhead/sdk'
import { isOf } from './pass/findings.ts'
import { accountText } from './pass/wire.ts'
import { notFound } from './not-found.ts'
import type { Parts } from './parts.ts'

/**
 * An account that holds rows of the feature.
 *
 * @throws `PLH_NOT_FOUND` (`unknown_provider`), `PLH_CONFLICT` (`ambiguous_provider`) if several profiles have rows and
 *   none is named
 */
export async function findAccount(
  { ctx }: Pick<Parts, 'ctx'>,
  name: string,
  feature: AnalyzedFeature,
): Promise<AccountName> {
  const holdings = await ctx.use(LIBRARY).holdings(feature)
  const found = holdings
    .filter((one) => one.readAtMs !== null && isOf(one, name.trim()))
    .map(({ provider, instance }) => ({ provider, instance }))
  if (found.length === 0) throw notFound('unknown_provider', 'No account of that name has rows of this feature.')
  if (found.length > 1)
    throw new PlayheadError('PLH_CONFLICT', 'Several accounts have data of this feature. Send one of them.', {
      wire: 'ambiguous_provider',
      details: { profiles: found.map(accountText) },
    })
  return found[0]!
}
