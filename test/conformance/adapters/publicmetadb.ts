// PublicMetaDB for the conformance kit.
import { publicmetadbStand } from '../../stands/publicmetadb.ts'
import { adapterOf, KINDS } from './kit.ts'

export default adapterOf({
  start: publicmetadbStand,
  kinds: { watchlist: KINDS.works },
  wrong: () => ({ api_key: 'pm-nobody' }),
})
