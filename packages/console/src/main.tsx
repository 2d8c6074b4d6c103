/** Starts the console in the page that the gateway serves. */
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './ui/toolway.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueries } from './data/queries.ts'
import { router } from './routes.tsx'
import { News } from './ui/say.tsx'
import { theme, variables } from './ui/theme.ts'

const queries = createQueries()

const place = document.querySelector('#console')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
          <News />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
