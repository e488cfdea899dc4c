// The frame of a page: heading, description, actions, breadcrumbs and window title.
import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { shell } from '../../texts/en/shell.ts'
import { FirstFill } from './loading.tsx'

interface PageFrameProps {
  readonly title: string
  readonly text?: ReactNode
  /** Buttons to the right of the heading. */
  readonly actions?: ReactNode
  /** The page is as high as the window, and a list inside of it scrolls. */
  readonly isFilled?: boolean
  /** The content has the heading of the page. */
  readonly hasOwnHeading?: boolean
  /** From the area to the parent page. */
  readonly breadcrumbs?: readonly { readonly title: string; readonly href: string }[]
  readonly children: ReactNode
}

export function Page({
  title,
  text,
  actions,
  isFilled = false,
  hasOwnHeading = false,
  breadcrumbs = [],
  children,
}: PageFrameProps) {
  useDocumentTitle(`${title} · ${shell.product}`)
  return (
    <Stack gap="md" className={isFilled ? 'filled' : undefined}>
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
      {hasOwnHeading ? null : (
        <Group justify="space-between" align="flex-start" gap="sm">
          <div style={{ minWidth: 0, flex: '1 1 max(16rem, min(24rem, 45%))' }}>
            <Title order={1} size="h2">
              {title}
            </Title>
            {text === undefined ? null : (
              <Text c="dimmed" mt="2xs" component="div">
                {text}
              </Text>
            )}
          </div>
          {actions == null ? null : (
            <Group gap="xs" className="page-actions">
              {actions}
            </Group>
          )}
        </Group>
      )}
      <FirstFill>{children}</FirstFill>
    </Stack>
  )
}
