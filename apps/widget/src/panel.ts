// What a page needs from its first look into the panel on, in one file.
export { default as styles } from './panel.css?inline';
export { widgetView } from './views/widget-view.ts';
