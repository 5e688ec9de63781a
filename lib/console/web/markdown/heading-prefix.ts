/** In front of the id of every heading: no text can take the id of another part of the page. */
export const headingPrefix = 'section-';
