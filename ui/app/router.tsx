// Renders the page of the current address in its own error boundary and moves the focus to its start.
import { Suspense, useEffect, useRef } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { Loading } from '../parts/page/loading.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { byLink, keepPlace, placeOf } from '../parts/lists/kept-place.ts'
import { land } from './landing.ts'
import { ROUTES } from './routes.ts'
import { Absent } from '../parts/page/absent.tsx'
import { Page } from '../parts/page/page.tsx'
import { shell } from '../texts/en/shell.ts'

/** Name of the place of the page itself. */
const PAGE = 'page'
// The browser would scroll a page before its content is there.
history.scrollRestoration = 'manual'

export function Router() {
  const [location] = useLocation()
  const content = useRef<HTMLDivElement>(null)
  const last = useRef(location)
  useEffect(() => {
    if (last.current !== location) {
      content.current?.focus({ preventScroll: true })
      window.scrollTo(0, 0)
    }
    last.current = location
    if (placeOf(PAGE) === undefined) land(window.location.hash)
    return keepPlace(PAGE, document.documentElement, byLink(content.current!))
  }, [location])

  return (
    <div className="page" ref={content} tabIndex={-1} id="content">
      <ErrorBoundary key={location}>
        <Suspense fallback={<Loading />}>
          <Switch>
            {ROUTES.flatMap(({ paths, page: Page }) =>
              paths.map((path) => (
                <Route key={path} path={path}>
                  {(params) => <Page path={path} params={toStrings(params)} />}
                </Route>
              )),
            )}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </div>
  )
}

function toStrings(params: Readonly<Record<string | number, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(params)
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .map(([name, value]) => [name, decoded(value)]),
  )
}

// The router does not decode characters like ":" and "/".
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function NotFound() {
  const { title, text, home } = shell.notFound
  return (
    <Page title={title}>
      <Absent title={title} text={text} to={home} href="/" />
    </Page>
  )
}
