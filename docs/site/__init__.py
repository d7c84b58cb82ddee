"""The site: `make docs` puts the pages of `docs/` and those that are made of the declarations into `out/site`."""
