import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';
import { startTheme } from './shell/theme.ts';

startTheme();
const root = document.querySelector('#root');
if (root === null) throw new Error('The page has no place for the console.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
