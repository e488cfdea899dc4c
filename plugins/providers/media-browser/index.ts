// @playhead/media-browser: what Jellyfin and Emby have in common, which is nearly all. A provider for a server of
// this family brings a dialect, a way to sign in, and routes of its own.
export { mediaBrowserProvider } from './definition.ts'
export {
  type Ask,
  clientHeader,
  type Device,
  type Dialect,
  pascalNames,
  part,
  type Query,
  withQuery,
} from './dialect.ts'
export { type Kit, reasonOf, registerCommonRoutes, type RouteOptions, statusOf, told } from './sign-in/routes.ts'
export { openSession, type Identity, type Session } from './session.ts'
export { MediaBrowserProfile, normalizeAddress } from './settings.ts'
export { findServer, granted, type Granted, openAnonymously, type Server } from './sign-in/sign-in.ts'
export { SignedIn, type UserData } from './wire.ts'
