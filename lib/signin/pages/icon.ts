/** A charter with its seal, for the browser's tab. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
<rect width="24" height="24" rx="5" fill="#fff"/>
<path d="M6 2.75h9.5L19 6.25v10.5a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1Z" fill="none" stroke="#1d1b18" stroke-width="1.5" stroke-linejoin="round"/>
<path d="M8.5 7h5M8.5 10h7" stroke="#1d1b18" stroke-width="1.5" stroke-linecap="round"/>
<circle cx="12" cy="17.5" r="4" fill="#7a2e2e" stroke="#fff" stroke-width="1.5"/>
</svg>
`;

export const iconPath = '/signin/icon.svg';
