"""`python -m ddzsim`: the same as the command `ddzsim`."""

from ddzsim.cli.main import main

if __name__ == "__main__":
    main()
