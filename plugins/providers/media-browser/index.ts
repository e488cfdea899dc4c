// @playhead/media-browser: the common parts of Jellyfin and Emby. A provider for a server of this family adds a
// dialect, a sign-in and its own routes.
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
export { commonRows, type Kit, reasonOf } from './sign-in/routes.ts'
export type { Identity, Session } from './session.ts'
export { openSession } from './open-session.ts'
export { MediaBrowserProfile, normalizeAddress } from './settings.ts'
export { findServer, granted, type Granted, openAnonymously, type Server } from './sign-in/sign-in.ts'
export { SignedIn, type UserData } from './wire.ts'
