// The frame of a page: heading, description, actions, breadcrumbs and window title.
import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { shell } from '../../texts/en/shell.ts'

interface PageFrameProps {
  readonly title: string
  readonly text?: ReactNode
  /** Buttons to the right of the heading. */
  readonly actions?: ReactNode
  /** From the area to the parent page. */
  readonly breadcrumbs?: readonly { readonly title: string; readonly href: string }[]
  readonly children: ReactNode
}

export function Page({ title, text, actions, breadcrumbs = [], children }: PageFrameProps) {
  useDocumentTitle(`${title} · ${shell.product}`)
  return (
    <Stack gap="md">
      {breadcrumbs.length === 0 ? null : (
        <Breadcrumbs component="nav" aria-label={shell.breadcrumbs} style={{ flexWrap: 'wrap' }}>
          {breadcrumbs.map((one) => (
            <Anchor key={one.href} component={Link} href={one.href} size="sm">
              {one.title}
            </Anchor>
          ))}
          {breadcrumbs.at(-1)?.title === title ? null : (
            <Text size="sm" aria-current="page" style={{ whiteSpace: 'normal' }}>
              {title}
            </Text>
          )}
        </Breadcrumbs>
      )}
      <Group justify="space-between" align="flex-start">
        <div style={{ minWidth: 0, flex: '1 1 16rem' }}>
          <Title order={1} size="h2">
            {title}
          </Title>
          {text === undefined ? null : (
            <Text c="dimmed" mt={4} component="div">
              {text}
            </Text>
          )}
        </div>
        {actions === undefined ? null : (
          <Group gap="xs" miw={0} maw="100%">
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </Stack>
  )
}
