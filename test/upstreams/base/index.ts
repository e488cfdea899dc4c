// The base of every stand-in for a third-party service.
export {
  movieCatalogue,
  showCatalogue,
  type CatalogueEpisode,
  type CatalogueIds,
  type CatalogueMovie,
  type CatalogueShow,
} from './catalogue.ts'
export type { Fault, FaultKind, Faults, RequestMatch } from './faults.ts'
export { InvalidBody, type UpstreamReply, type UpstreamRequest } from './messages.ts'
export type { UpstreamSocket } from './sockets.ts'
export { createSeededRandom, type SeededRandom } from './random.ts'
export { startUpstream, type Exchange, type RecordedRequest, type Upstream, type UpstreamOptions } from './upstream.ts'
