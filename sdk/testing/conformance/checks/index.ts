// All checks of the kit, in display order.
import type { Check } from '../contract.ts'
import { access } from './access.ts'
import { basics } from './basics.ts'
import { cursor } from './cursor.ts'
import { damage } from './damage.ts'
import { dropped } from './dropped.ts'
import { entry } from './entry.ts'
import { isolation } from './isolation.ts'
import { lifetime } from './lifetime.ts'
import { limits } from './limits.ts'
import { lists } from './lists.ts'
import { neighbours } from './neighbours.ts'
import { plain } from './plain.ts'
import { playing } from './playing.ts'
import { polite } from './polite.ts'
import { reads } from './reads.ts'
import { scrobble } from './scrobble.ts'
import { secrets } from './secrets.ts'
import { signIn } from './sign-in.ts'
import { stable } from './stable.ts'
import { truth } from './truth.ts'
import { writes } from './writes.ts'

export const CHECKS: readonly Check[] = [
  ...basics,
  ...signIn,
  ...reads,
  ...cursor,
  ...damage,
  ...writes,
  ...entry,
  ...neighbours,
  ...truth,
  ...plain,
  ...polite,
  ...limits,
  ...isolation,
  ...access,
  ...lifetime,
  ...secrets,
  ...stable,
  ...playing,
  ...scrobble,
  ...dropped,
  ...lists,
]
