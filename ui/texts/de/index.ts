import { analyzer } from './analyzer.ts'
import { captures, maintenance } from './captures.ts'
import { anime } from './anime.ts'
import { connections, signIn } from './connections.ts'
import { editor } from './editor.ts'
import { events } from './events.ts'
import { login, parts, shell } from './frame.ts'
import { home } from './home.ts'
import { persons } from './persons.ts'
import { playlists } from './playlists.ts'
import { plays } from './plays.ts'
import { problems } from './problems.ts'
import { recipes } from './recipes.ts'
import { scrobbling } from './scrobbling.ts'
import { search } from './search.ts'
import { service } from './service.ts'
import { settings } from './settings.ts'
import { origin, pairForm, pairs, plan, runs, schedule, start } from './sync.ts'
import { continueWatching, history, library, statistics, titlePage, watchlist } from './titles.ts'
import { backups, exporting, imports, notifications, plugins } from './tools.ts'

// A single value: separate exports would cost every language their own file.
export default {
  analyzer,
  anime,
  backups,
  captures,
  connections,
  continueWatching,
  editor,
  events,
  exporting,
  history,
  home,
  imports,
  library,
  login,
  maintenance,
  notifications,
  origin,
  pairForm,
  pairs,
  parts,
  persons,
  plan,
  playlists,
  plays,
  problems,
  plugins,
  recipes,
  runs,
  schedule,
  scrobbling,
  search,
  service,
  settings,
  shell,
  signIn,
  start,
  statistics,
  titlePage,
  watchlist,
}
