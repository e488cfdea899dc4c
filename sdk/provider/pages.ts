// Pages of titles at their service, for people to open in a browser. An address is put together; nothing is asked of the service.
import type { Item } from '../items/item.ts'
import { isSecretOf, type ProfileShape } from './profiles/profile-schema.ts'
import { leavesOf, type Settings, withValue } from './profiles/settings-tree.ts'

export interface TitlePagesRequest {
  /** `native.item_id` is the account's own id, where the account has the item. Ids alone are enough for some services. */
  readonly items: readonly Item[]
  /** As `AccountHealth.account`; absent if it is not known. */
  readonly account?: string
}

/** Operations of a provider with `titlePages`. */
export interface TitlePageProvider {
  /**
   * The address of each item's page, `https:`, or `http:` for a server with such an address. Null: the service has no
   * page of it, or its address is not certain. Contains no secret.
   *
   * Throws `PLH_NOT_FOUND` for an unknown profile.
   */
  titlePages(instance: string, request: TitlePagesRequest): readonly (string | null)[]
}

/** The account that a page belongs to. */
export interface TitlePageAccount<Profile> {
  /** Settings, in which secrets are empty. */
  readonly profile: Readonly<Profile>
  /** As `AccountHealth.account`, if it is known. */
  readonly account: string | undefined
}

/** The address of an item's page; undefined if it is not certain. Pure. */
export type TitlePageDefinition<Profile> = (item: Item, of: TitlePageAccount<Profile>) => string | undefined

const LONGEST = 2_000

export function createTitlePageProvider<Profile>({
  definition,
  shape,
  profile,
}: {
  readonly definition: TitlePageDefinition<Profile> | undefined
  readonly shape: ProfileShape
  /** Throws `PLH_NOT_FOUND`. */
  readonly profile: (instance: string) => Readonly<Profile>
}): Partial<TitlePageProvider> {
  if (definition === undefined) return {}
  return {
    titlePages(instance, { items, account }) {
      const of = { profile: withoutSecrets(shape, profile(instance)), account }
      return items.map((item) => checked(definition(item, of)))
    },
  }
}

function withoutSecrets<Profile>(shape: ProfileShape, profile: Readonly<Profile>): Readonly<Profile> {
  return leavesOf(profile as Settings).reduce<Settings>(
    (kept, [path]) => (isSecretOf(shape, path) ? withValue(kept, path, '') : kept),
    profile as Settings,
  ) as Readonly<Profile>
}

/** An address that a browser opens as a page, without a name and a password. */
function checked(address: string | undefined): string | null {
  const url = address === undefined || address.length > LONGEST ? null : URL.parse(address)
  const isPage = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return isPage ? url.href : null
}
