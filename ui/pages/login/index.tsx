// The sign-in page, also used to create the first account.
import { Center, Paper, Stack, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useEffect } from 'react'
import { at, BASE } from '../../api/base.ts'
import { tellSignedIn, useSessionQuery } from '../../app/session-state.ts'
import SignInForm from '../../app/sign-in-form.tsx'
import { Brand } from '../../parts/page/brand.tsx'
import { login } from '../../texts/en/login.ts'
import { shell } from '../../texts/en/shell.ts'

export default function LoginPage() {
  const { data: status } = useSessionQuery()
  const isSetup = status?.setup_required === true
  const title = isSetup ? login.setupTitle : login.title
  useDocumentTitle(`${title} · ${shell.product}`)
  const hasNothingToAsk = status !== undefined && !isSetup && (!status.enabled || status.authenticated)
  useEffect(() => {
    if (hasNothingToAsk) location.replace(nextAddress(isSetup))
  }, [hasNothingToAsk, isSetup])

  if (status === undefined || hasNothingToAsk) return null
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={420}>
        <Stack>
          <Brand />
          <Title order={1} size="h2">
            {title}
          </Title>
          <SignInForm
            status={status}
            onSignedIn={() => {
              tellSignedIn()
              location.replace(nextAddress(isSetup))
            }}
          />
        </Stack>
      </Paper>
    </Center>
  )
}

// The service validated this path when it wrote the page. A new account continues with the setup guide.
function nextAddress(isSetup: boolean): string {
  if (isSetup) return at('/start')
  const next = document.getElementById('root')?.dataset['next'] ?? '/'
  return location.pathname === `${BASE}/login` ? at(next) : location.pathname + location.search + location.hash
}
