// The page for an unknown address.
import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { Link } from 'wouter'
import { EmptyState } from '../parts/page/empty-state.tsx'
import { Page } from '../parts/page/page.tsx'
import { shell } from '../texts/en/shell.ts'

export function NotFound() {
  return (
    <Page title={shell.notFound.title}>
      <EmptyState
        icon={IconMapOff}
        title={shell.notFound.title}
        text={shell.notFound.text}
        action={
          <Button component={Link} href="/">
            {shell.notFound.home}
          </Button>
        }
      />
    </Page>
  )
}
