import { analyzer } from './analyzer.ts'
import { anime } from './anime.ts'
import { backups } from './backups.ts'
import { captures } from './captures.ts'
import { connections } from './connections.ts'
import { continueWatching } from './continue.ts'
import { directory } from './directory.ts'
import { editor } from './editor.ts'
import { events } from './events.ts'
import { exporting } from './export.ts'
import { guest } from './guest.ts'
import { history } from './history.ts'
import { home } from './home.ts'
import { persons } from './persons.ts'
import { imports } from './import.ts'
import { library } from './library.ts'
import { login } from './login.ts'
import { maintenance } from './maintenance.ts'
import { notifications } from './notifications.ts'
import { origin } from './origin.ts'
import { pairForm, pairs } from './pairs.ts'
import { parts } from './parts.ts'
import { plan } from './plan.ts'
import { playlists } from './playlists.ts'
import { plays } from './plays.ts'
import { plugins } from './plugins.ts'
import { problems } from './problems.ts'
import { recipes } from './recipes.ts'
import { runs } from './runs.ts'
import { schedule } from './schedule.ts'
import { scrobbling } from './scrobbling.ts'
import { search } from './search.ts'
import { service } from './service.ts'
import { settings } from './settings.ts'
import { shell } from './shell.ts'
import { signIn } from './sign-in.ts'
import { start } from './start.ts'
import { statistics } from './statistics.ts'
import { titlePage } from './title.ts'
import { watchlist } from './watchlist.ts'

// A single value: separate exports would cost every language their own file.
export default {
  analyzer,
  anime,
  backups,
  captures,
  connections,
  continueWatching,
  directory,
  editor,
  events,
  exporting,
  guest,
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
