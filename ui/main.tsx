// Entry point of the UI.
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { Router as BaseRouter } from 'wouter'
import { BASE } from './api/base.ts'
import { onReachableAgain } from './api/connection.ts'
import { createQueryClient } from './api/query.ts'
import { keepFocus } from './app/focus-back.ts'
import { Overlays } from './app/overlays.tsx'
import { Router } from './app/router.tsx'
import { SessionGuard } from './app/session.tsx'
import { Shell } from './app/shell.tsx'
import { readableColors, theme } from './app/theme.ts'
import { locale } from './texts/language.ts'

document.documentElement.lang = locale
const queries = createQueryClient()
keepFocus()
onReachableAgain(() => void queries.invalidateQueries())

createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={readableColors}>
    <QueryClientProvider client={queries}>
      <BaseRouter base={BASE}>
        <SessionGuard>
          <Shell>
            <Router />
          </Shell>
        </SessionGuard>
        <Overlays />
      </BaseRouter>
    </QueryClientProvider>
  </MantineProvider>,
)
